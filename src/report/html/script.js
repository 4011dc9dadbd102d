'use strict';
// Tables can be sorted and searched; details open before printing. The page is complete without this.
for (const table of document.querySelectorAll('table[data-tools]')) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const key = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.v === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.v);
  };
  const compare = (a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
  const heads = Array.from(table.tHead.rows[0].cells);
  if (rows.length > 1) heads.forEach((head, at) => {
    if (head.classList.contains('d')) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const first = head.classList.contains('n') ? 'descending' : 'ascending';
      const other = first === 'descending' ? 'ascending' : 'descending';
      const order = head.getAttribute('aria-sort') === first ? other : first;
      for (const one of heads) one.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', order);
      const sign = order === 'ascending' ? 1 : -1;
      const keyed = rows.map((row, i) => [key(row, at), i, row]);
      keyed.sort((a, b) => sign * compare(a[0], b[0]) || a[1] - b[1]);
      body.append(...keyed.map((one) => one[2]));
    });
  });
  if (table.dataset.tools !== 'find') continue;
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const label = document.createElement('label');
  const input = document.createElement('input');
  const count = document.createElement('span');
  input.type = 'search';
  count.setAttribute('role', 'status');
  label.append('Filter', input);
  input.setAttribute('aria-label', 'Filter: ' + table.caption.textContent);
  const box = document.createElement('div');
  box.className = 'find';
  box.append(label, count);
  table.parentElement.before(box);
  const show = () => {
    const wanted = input.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !texts[i].includes(wanted);
      if (!row.hidden) shown += 1;
    });
    count.textContent = wanted ? shown + ' of ' + rows.length + ' rows' : rows.length + ' rows';
  };
  input.addEventListener('input', show);
  show();
}
const command = document.querySelector('code[data-command]');
const marked = new Set();
for (const place of document.querySelectorAll('[data-mark]')) {
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.setAttribute('aria-label', place.dataset.label);
  place.append(box);
  box.addEventListener('change', () => {
    const number = Number(place.dataset.mark);
    if (box.checked) marked.add(number); else marked.delete(number);
    const list = Array.from(marked).sort((a, b) => a - b).join(',');
    command.textContent = 'heapscrub kept BUNDLE --mark ' + (list || 'NUMBERS') + ' --deny deny.txt';
  });
}
const open = () => {
  const it = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (it && it.tagName === 'DETAILS') it.open = true;
};
addEventListener('hashchange', open);
open();
addEventListener('beforeprint', () => {
  for (const one of document.querySelectorAll('details')) one.open = true;
});
