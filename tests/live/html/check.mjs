// Opens pages in a real Chromium, from files, and looks at what they do: nothing is requested, nothing complains, the rules
// of WCAG 2.1 A and AA hold, tables can be filtered and sorted with mouse and keyboard, and names do nothing.
//
// usage: check.mjs [--hostile NAMES.json] [--faulty] [--quick] FILE...
//   --hostile   names that must be on the page as text
//   --faulty    the pages are broken on purpose: a fault must be found on each
//   --quick     the first opening must be over within two seconds of the browser's own clock
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.env.NPM_DIR, 'package.json'));
const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const args = process.argv.slice(2);
const faulty = args.includes('--faulty');
const quick = args.includes('--quick');
const at = args.indexOf('--hostile');
const names = at < 0 ? [] : JSON.parse(readFileSync(args[at + 1], 'utf8'));
const files = args.filter((arg, i) => !arg.startsWith('--') && (at < 0 || i !== at + 1));
const MOST_BYTES = 2_000_000;
const MOST_MS = 2000;

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--disable-dev-shm-usage'],
});

async function open(file, faults, { width = 1280, dark = false, script = true } = {}) {
  const page = await browser.newPage();
  const address = pathToFileURL(resolve(file)).href;
  page.on('request', (request) => { if (request.url() !== address) faults.push(`requests ${request.url().slice(0, 60)}`); });
  page.on('console', (message) => { if (message.type() !== 'log') faults.push(`console: ${message.text().slice(0, 200)}`); });
  page.on('pageerror', (error) => faults.push(`error: ${String(error).slice(0, 200)}`));
  page.on('dialog', (dialog) => { faults.push('a dialog'); dialog.dismiss(); });
  await page.setJavaScriptEnabled(script);
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  const begin = performance.now();
  await page.goto(address, { waitUntil: 'load' });
  return { page, ms: performance.now() - begin };
}

async function accessible(page, faults, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    document.querySelectorAll('details').forEach((one) => { one.open = true; });
    const only = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] };
    const { violations, passes } = await window.axe.run(document, { runOnly: only });
    return { passes: passes.length, violations: violations.map((v) => `${v.id}: ${v.nodes.length} × ${v.nodes[0].html.slice(0, 120)}`) };
  });
  if (found.passes < 10) faults.push(`${where}: only ${found.passes} rules of axe ran`);
  found.violations.forEach((violation) => faults.push(`${where}: ${violation}`));
}

// Tables with the mouse and with the keyboard alone.
async function tables(page, faults) {
  const count = await page.$$eval('table[data-tools]', (all) => all.length);
  if (count === 0) return faults.push('no tables');
  const sorted = (descending) => page.$$eval('table[data-tools]', (all, falling) => all.flatMap((table) => {
    const head = table.querySelector('th[aria-sort]');
    if (!head) return [];
    if (head.getAttribute('aria-sort') !== (falling ? 'descending' : 'ascending')) return ['aria-sort is wrong'];
    const values = Array.from(table.tBodies[0].rows, (row) => row.cells[head.cellIndex]).map((cell) => Number(cell.dataset.v));
    const ok = values.every((v, i) => i === 0 || (falling ? values[i - 1] >= v : values[i - 1] <= v));
    return ok ? ['sorted'] : [`not sorted: ${values.slice(0, 5)}`];
  }), descending);
  const button = await page.$('th.n button');
  if (!button) return faults.push('no column of numbers can be sorted');
  await button.click();
  const first = await sorted(true);
  if (first.join() !== 'sorted') faults.push(`after a click: ${first}`);
  await button.focus();
  await page.keyboard.press('Enter');
  const second = await sorted(false);
  if (second.join() !== 'sorted') faults.push(`after Enter: ${second}`);
  const input = await page.$('input[type=search]');
  if (!input) return undefined;
  await input.focus();
  const shown = () => page.$eval('input[type=search]', (it) => {
    const table = it.closest('.find').nextElementSibling.querySelector('table');
    const rows = Array.from(table.tBodies[0].rows);
    const visible = rows.filter((row) => row.checkVisibility());
    return { all: rows.length, visible: visible.length, wrong: visible.filter((row) => !row.textContent.toLowerCase().includes(it.value.toLowerCase())).length, status: it.closest('.find').querySelector('[role=status]').textContent };
  });
  const word = await page.$eval('input[type=search]', (it) => it.closest('.find').nextElementSibling.querySelector('tbody tr').textContent.match(/[A-Za-z]{3,12}/)[0]);
  await page.keyboard.type(word);
  const some = await shown();
  if (some.wrong > 0 || some.visible < 1 || !some.status.startsWith(`${some.visible} of `)) faults.push(`filter: ${JSON.stringify(some)}`);
  await page.keyboard.type('zzzz no such row');
  const none = await shown();
  if (none.visible !== 0) faults.push(`a filter that nothing matches: ${JSON.stringify(none)}`);
  return undefined;
}

// Every control can be reached with Tab alone, and shows that it is reached.
async function keyboard(page, faults) {
  await page.evaluate(() => { document.activeElement?.blur(); window.scrollTo(0, 0); });
  const wanted = await page.$$eval('a[href], button, input, summary, [tabindex="0"]', (all) => all.filter((one) => one.checkVisibility()).length);
  const seen = new Set();
  for (let i = 0; i < Math.min(wanted, 60); i += 1) {
    await page.keyboard.press('Tab');
    const one = await page.evaluate(() => {
      const it = document.activeElement;
      it.dataset.seen ??= String(Math.random());
      return { id: it.dataset.seen, tag: it.tagName, outline: getComputedStyle(it).outlineStyle };
    });
    if (one.tag === 'BODY') break;
    if (one.outline === 'none') faults.push(`no outline on ${one.tag}`);
    seen.add(one.id);
  }
  if (seen.size < Math.min(wanted, 60) - 1) faults.push(`Tab reaches ${seen.size} of ${wanted}`);
}

async function inert(page, faults) {
  const found = await page.evaluate(() => ({
    fired: window.fired ?? null,
    scripts: document.scripts.length,
    styles: document.querySelectorAll('style, link').length,
    acting: document.querySelectorAll('img, iframe, object, embed, form, video, audio, base').length,
    links: Array.from(document.links, (link) => link.getAttribute('href')).filter((href) => !href.startsWith('#') || !document.getElementById(href.slice(1))),
    handlers: Array.from(document.querySelectorAll('*')).filter((one) => one.getAttributeNames().some((name) => name.startsWith('on') || name === 'style')).length,
    hidden: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/.test(document.body.textContent),
    text: document.body.textContent,
  }));
  const expected = { fired: null, scripts: 1, styles: 1, acting: 0, handlers: 0, hidden: false };
  for (const [key, value] of Object.entries(expected)) if (found[key] !== value) faults.push(`${key}: ${found[key]}`);
  if (found.links.length > 0) faults.push(`links: ${found.links.slice(0, 3)}`);
  const spelled = (name) => name.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
  for (const name of names) if (!found.text.includes(spelled(name))) faults.push(`not shown as text: ${JSON.stringify(name)}`);
}

async function look(file) {
  const faults = [];
  const bytes = statSync(file).size;
  if (bytes > MOST_BYTES) faults.push(`${bytes} bytes`);
  const { page, ms } = await open(file, faults);
  if (quick && ms > MOST_MS) faults.push(`open after ${ms.toFixed(0)} ms`);
  await inert(page, faults);
  await accessible(page, faults, 'light');
  await tables(page, faults);
  await inert(page, faults);
  await page.close();
  const again = await open(file, faults);
  await keyboard(again.page, faults);
  await again.page.close();
  for (const [where, view] of [['dark', { dark: true }], ['narrow', { width: 400 }]]) {
    const { page: other } = await open(file, faults, view);
    await accessible(other, faults, where);
    const wide = await other.evaluate(() => document.documentElement.scrollWidth);
    if (wide > (view.width ?? 1280)) faults.push(`${where}: ${wide} pixels wide`);
    await other.close();
  }
  // Without its script the page is complete: every row is there, and nothing that does nothing.
  const { page: plain } = await open(file, faults, { script: false });
  const dead = await plain.$$eval('button, input', (all) => all.length);
  const rows = await plain.$$eval('tbody tr', (all) => all.length);
  if (dead > 0 || rows === 0) faults.push(`without script: ${dead} dead controls, ${rows} rows`);
  await plain.close();
  return { faults, bytes, ms, rows };
}

let failed = false;
for (const file of files) {
  const { faults, bytes, ms, rows } = await look(file);
  const fine = faulty ? faults.length > 0 : faults.length === 0;
  failed ||= !fine;
  const result = faulty ? `${faults.length} planted faults found` : `${fine ? 'fine' : 'FAILED'}`;
  console.log(`${basename(file)}: ${result}; ${bytes} bytes, ${rows} rows, open after ${ms.toFixed(0)} ms`);
  if (!fine) faults.slice(0, 20).forEach((fault) => console.log(`  ${fault}`));
}
await browser.close();
process.exit(failed ? 1 : 0);
