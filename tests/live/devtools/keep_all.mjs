// Rules that keep every label of snapshots which hold no secrets: for tests of names only.
// usage: node keep_all.mjs OUT.toml FILE...
import fs from 'node:fs';
import {fileURLToPath} from 'node:url';

const ROLES = ['key', 'variable', 'class', 'function', 'symbol', 'regexp'];
const FRONT = ['get ', 'set ', 'bound ', 'async ', 'static ', '#', 'Detached '];
const BACK = [' (prototype)', ' (internal cache)', ' (global*)', ' [JSGlobalObject]', ' [JSGlobalProxy]'];

// A label, and what it is made of: `get size` is a word of the engine and a name.
function parts(label, into) {
  if (label === '' || into.has(label)) return;
  into.add(label);
  for (const front of FRONT) if (label.startsWith(front)) parts(label.slice(front.length), into);
  for (const back of BACK) if (label.endsWith(back)) parts(label.slice(0, -back.length), into);
  for (const [, inner] of [/^<symbol (.*)>$/s, /^Symbol\((.*)\)$/s].map((form) => form.exec(label) ?? [])) if (inner) parts(inner, into);
  const tag = /^<([^ >]+)/.exec(label);
  if (tag) parts(tag[1], into);
  const place = label.indexOf(' / ');
  if (place > 0) parts(label.slice(0, place), into);
}

export function labels(file) {
  const heap = JSON.parse(fs.readFileSync(file, 'utf8'));
  const {node_fields: fields, node_types: types, edge_types: edgeTypes} = heap.snapshot.meta;
  const [type, name] = [fields.indexOf('type'), fields.indexOf('name')];
  const texts = new Set(['string', 'concatenated string', 'sliced string', 'number', 'bigint'].map((word) => types[type].indexOf(word)));
  const found = new Set();
  const seen = new Uint8Array(heap.strings.length);
  const take = (index) => {
    if (!seen[index]) parts(heap.strings[index], found);
    seen[index] = 1;
  };
  for (let at = 0; at < heap.nodes.length; at += fields.length) if (!texts.has(heap.nodes[at + type])) take(heap.nodes[at + name]);
  const numbered = new Set(['element', 'hidden'].map((word) => edgeTypes[0].indexOf(word)));
  for (let at = 0; at < heap.edges.length; at += 3) if (!numbered.has(heap.edges[at])) take(heap.edges[at + 1]);
  return found;
}

export function writeRules(out, files) {
  const all = new Set();
  for (const file of files) for (const label of labels(file)) all.add(label);
  const quoted = [...all].sort().map((label) => JSON.stringify(label).replace(/\u007f/g, '\\u007f'));
  fs.writeFileSync(out, `[[keep]]\nid = "all-labels"\nroles = ${JSON.stringify(ROLES)}\nexact = [\n${quoted.join(',\n')}\n]\n`);
  return all.size;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, ...files] = process.argv.slice(2);
  if (!files.length) {
    console.error('usage: node keep_all.mjs OUT.toml FILE...');
    process.exit(2);
  }
  console.log(`${writeRules(out, files)} labels`);
}
