// Checks the checker: compare.mjs must pass an untouched and a renamed copy, and fail on every kind of damage.
// usage: node --max-old-space-size=12000 compare_check.mjs FILE      (a snapshot of a page or a Node process)
// Exit status: 0 all as expected, 1 otherwise.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';

const compare = fileURLToPath(new URL('compare.mjs', import.meta.url));
const original = path.resolve(process.argv[2]);
const text = fs.readFileSync(original, 'utf8');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'compare-'));

// Helpers on a freshly parsed file.
const nodeField = (heap, name) => heap.snapshot.meta.node_fields.indexOf(name);
const nodeWidth = (heap) => heap.snapshot.meta.node_fields.length;
function someNode(heap, type) {
  const wanted = heap.snapshot.meta.node_types[0].indexOf(type);
  for (let at = nodeWidth(heap) * Math.floor(heap.snapshot.node_count / 2); at < heap.nodes.length; at += nodeWidth(heap)) {
    if (heap.nodes[at] === wanted && heap.nodes[at + nodeField(heap, 'self_size')] > 0) return at;
  }
  throw new Error(`no ${type} node`);
}
// Number of a node's first edge.
function firstEdge(heap, node) {
  let edge = 0;
  for (let at = 0; at < node; at += nodeWidth(heap)) edge += heap.nodes[at + nodeField(heap, 'edge_count')];
  return edge;
}

const damages = [
  ['untouched', 0, () => {}],
  ['string values changed', 0, (heap) => {
    const [string, name] = [heap.snapshot.meta.node_types[0].indexOf('string'), nodeField(heap, 'name')];
    const label = new Set(heap.nodes.filter((_, i) => i % nodeWidth(heap) === name && heap.nodes[i - name] !== string));
    for (let e = 0; e < heap.edges.length; e += 3) label.add(heap.edges[e + 1]);
    heap.strings = heap.strings.map((value, i) => (label.has(i) ? value : 'x'.repeat(value.length)));
  }],
  ['one self size', 1, (heap) => { heap.nodes[someNode(heap, 'object') + nodeField(heap, 'self_size')] += 8; }],
  ['one node id', 1, (heap) => { heap.nodes[someNode(heap, 'object') + nodeField(heap, 'id')] += 1000000; }],
  ['one node type', 1, (heap) => { heap.nodes[someNode(heap, 'closure')] = heap.snapshot.meta.node_types[0].indexOf('object'); }],
  ['one edge dropped', 1, (heap) => {
    const node = someNode(heap, 'object');
    heap.edges.splice(firstEdge(heap, node) * 3, 3);
    heap.nodes[node + nodeField(heap, 'edge_count')]--;
    heap.snapshot.edge_count--;
  }],
  ['one edge elsewhere', 1, (heap) => { heap.edges[firstEdge(heap, someNode(heap, 'object')) * 3 + 2] = someNode(heap, 'closure'); }],
  ['WeakMap pair texts', 1, (heap) => { heap.strings = heap.strings.map((value) => value.replace(/ pair in WeakMap /, ' pair in Map ')); }],
  ['context names', 1, (heap) => { heap.strings = heap.strings.map((value) => value.replace(/^system \/ Context\b/, 'system / Scope')); }],
  ['cut short', 2, null],
];

let wrong = 0;
for (const [what, expected, change] of damages) {
  const copy = path.join(dir, 'copy.heapsnapshot');
  if (change) {
    const heap = JSON.parse(text);
    change(heap);
    fs.writeFileSync(copy, JSON.stringify(heap));
  } else {
    fs.writeFileSync(copy, text.slice(0, text.length / 2));
  }
  const {status, stdout} = spawnSync(process.execPath, [...process.execArgv, compare, original, copy], {encoding: 'utf8'});
  if (status !== expected) wrong++;
  const found = stdout.split('\n').filter((line) => line.startsWith('DIFFERENT')).length;
  console.log(`${status === expected ? 'ok' : 'WRONG'}  ${what}: status ${status}, expected ${expected}, ${found} checks differ`);
}
fs.rmSync(dir, {recursive: true, force: true});
process.exit(wrong === 0 ? 0 : 1);
