// Texts that only exist when pieces in a snapshot are put together: ropes, arrays, sibling properties.
'use strict';

const LIMIT = 200000;

/** Text of a string node; ropes are walked without recursion up to LIMIT characters. */
function textOf(s, n) {
  const type = s.type(n);
  if (type === 'string' || type === 'symbol') return s.name(n);
  if (type === 'sliced string') { const p = s.follow(n, 'parent'); return p < 0 ? '' : textOf(s, p); }
  if (type !== 'concatenated string') return null;
  const parts = [], stack = [n];
  for (let length = 0; stack.length && length < LIMIT;) {
    const at = stack.pop();
    if (s.type(at) === 'concatenated string') {
      const a = s.follow(at, 'first'), b = s.follow(at, 'second');
      if (b >= 0) stack.push(b);
      if (a >= 0) stack.push(a);
    } else {
      const t = s.type(at) === 'sliced string' ? '' : s.name(at);
      parts.push(t);
      length += t.length;
    }
  }
  return parts.join('');
}

/** Character for a number node whose value is a character code, else ''; newer runtimes hang the value on an edge. */
function codeOf(s, n) {
  if (s.type(n) !== 'number') return '';
  const value = s.follow(n, 'value'), t = s.name(value < 0 ? n : value);
  return /^\d{2,5}$/.test(t) && Number(t) < 0xd800 ? String.fromCharCode(Number(t)) : '';
}

/** Gives {rope, array, codes, siblings, keys}: lists of joined texts. */
function joinedTexts(s) {
  const out = {rope: [], array: [], codes: [], siblings: [], keys: []};
  const inner = new Uint8Array(s.count);
  for (let n = 0; n < s.count; n++) {
    if (s.type(n) !== 'concatenated string') continue;
    for (let e = s.firstEdge[n]; e < s.firstEdge[n + 1]; e++) inner[s.target(e)] = 1;
  }
  for (let n = 0; n < s.count; n++) {
    if (s.type(n) === 'concatenated string' && !inner[n]) out.rope.push(textOf(s, n));
    const ordered = [], values = [], keys = [];
    for (let e = s.firstEdge[n]; e < s.firstEdge[n + 1]; e++) {
      const type = s.edgeType(e), label = s.edgeText(e), to = s.target(e);
      const index = label === null ? s.edgeLabel(e) : /^\d+$/.test(label) ? Number(label) : -1;
      const textual = textOf(s, to);
      if (type === 'property') { keys.push(label); if (textual !== null) values.push(textual); }
      else if (index >= 0 && (textual !== null || s.type(to) === 'number')) ordered.push([index, textual, to]);
    }
    if (ordered.length > 1) {
      ordered.sort((a, b) => a[0] - b[0]);
      out.array.push(ordered.map(x => x[1]).join(''));
      out.codes.push(ordered.map(x => codeOf(s, x[2])).join(''));
    }
    if (values.length > 1) out.siblings.push(values.join(''));
    if (keys.length > 1) out.keys.push(keys.join(''));
  }
  return out;
}

module.exports = {joinedTexts, textOf};
