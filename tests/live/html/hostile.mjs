// Three snapshots of one made-up process in which every name tries to act: as HTML, script, Markdown, on a terminal, in a
// spreadsheet. A rule file vouches for the names, so that they reach the report.
//
// usage: hostile.mjs DIR      writes 1.heapsnapshot, 2.heapsnapshot, 3.heapsnapshot, keep.toml and names.json
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TYPES = ['hidden', 'array', 'string', 'object', 'code', 'closure', 'regexp', 'number', 'native', 'synthetic',
  'concatenated string', 'sliced string', 'symbol', 'bigint', 'object shape'];
const EDGES = ['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak'];

// What each name would do if it were let.
export const NAMES = [
  '<script>window.fired=1</script>',
  '<img src=x onerror=window.fired=2>',
  '"><svg onload=window.fired=3>',
  "' onmouseover='window.fired=4",
  '</title><script>window.fired=5</script>',
  '</style><style>*{display:none}</style>',
  'javascript:window.fired=6',
  '&lt;script&gt;window.fired=7&lt;/script&gt;',
  '<!-- <a href="data:text/html,x">',
  '<iframe srcdoc="<script>parent.fired=8</script>">',
  '<form action=x><input autofocus onfocus=window.fired=9>',
  'A\u202eB\u2066C\u200bD',
  'A\u001b[31mB\u0007\u009b1m',
  'A\nB\tC\u2028D',
  "=cmd|' /C calc'!A0",
  '@everyone ![x](//x.example/y.png) [z](javascript:q)',
  'A`B``C|D',
  '${window.fired=10}{{fired}}<%= fired %>',
  'z\u0301\u0301\u0301\u0301\u0301algo \ud83d\ude00 \u0416\u05d0\u0627',
];

function snapshot(rounds) {
  const strings = ['<dummy>'];
  const text = (s) => {
    const at = strings.indexOf(s);
    return at >= 0 ? at : strings.push(s) - 1;
  };
  const nodes = [];
  const node = (type, name, id, size) => nodes.push({ row: [TYPES.indexOf(type), text(name), id, size, 0, 0, 0], edges: [] }) - 1;
  const edge = (from, type, name, to) => {
    const index = EDGES.indexOf(type);
    nodes[from].edges.push([index, type === 'element' || type === 'hidden' ? name : text(name), to * 7]);
  };
  const root = node('synthetic', '', 1, 0);
  NAMES.forEach((name, i) => {
    const holder = node('object', name, 1001 + i * 2, 64);
    edge(root, 'property', name, holder);
    const list = node('object', 'Array', 2001 + i * 2, 32);
    edge(holder, 'property', name, list);
    for (let n = 0; n < rounds * (i + 3); n += 1) {
      // Objects keep their numbers from one snapshot to the next; new ones get higher numbers.
      const item = node('object', name, 100001 + (n * NAMES.length + i) * 2, 400 + i);
      edge(list, 'element', n, item);
    }
  });
  const rows = nodes.map(({ row, edges }) => row.map((n, at) => (at === 4 ? edges.length : n)));
  const edges = nodes.flatMap((one) => one.edges);
  const number = ['string', 'number', 'number', 'number', 'number', 'number'];
  return JSON.stringify({
    snapshot: {
      meta: {
        node_fields: ['type', 'name', 'id', 'self_size', 'edge_count', 'trace_node_id', 'detachedness'],
        node_types: [TYPES, ...number],
        edge_fields: ['type', 'name_or_index', 'to_node'],
        edge_types: [EDGES, 'string_or_number', 'node'],
      },
      node_count: rows.length, edge_count: edges.length, trace_function_count: 0,
    },
    nodes: rows.flat(), edges: edges.flat(), trace_function_infos: [], trace_tree: [], samples: [], locations: [], strings,
  });
}

const dir = process.argv[2];
if (dir) {
  mkdirSync(dir, { recursive: true });
  for (const round of [1, 2, 3]) writeFileSync(join(dir, `${round}.heapsnapshot`), snapshot(round * 4));
  const exact = NAMES.map((name) => JSON.stringify(name).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`));
  // TOML knows no halves of characters.
  const toml = exact.map((name) => name.replace('\\ud83d\\ude00', '\\U0001f600'));
  writeFileSync(join(dir, 'keep.toml'), `[[keep]]\nid = "mine"\nexact = [${toml.join(', ')}]\nroles = ["class", "key"]\n`);
  writeFileSync(join(dir, 'names.json'), JSON.stringify(NAMES));
}
