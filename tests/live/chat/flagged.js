// How many texts of a program without secrets were replaced, and whether a rehearsal tells each rule that did it.
// usage: node flagged.js BEFORE.heapsnapshot AFTER.heapsnapshot REHEARSAL.txt     exit 1 above one in a thousand
'use strict';
const fs = require('fs');
const {loadSnapshot} = require('../canary/lib/snapshot.js');

const [before, after, rehearsal] = process.argv.slice(2);
const a = loadSnapshot(before), b = loadSnapshot(after), told = fs.readFileSync(rehearsal, 'utf8');
const {meta} = JSON.parse(fs.readFileSync(before, 'utf8')).snapshot;
const width = meta.node_fields.length, name = meta.node_fields.indexOf('name'), type = meta.node_fields.indexOf('type');
const TEXTS = ['string', 'sliced string', 'concatenated string'].map(t => meta.node_types[type].indexOf(t));
const all = new Set(), replaced = new Map();
for (let i = 0; i < a.nodes.length; i += width) {
  if (!TEXTS.includes(a.nodes[i + type])) continue;
  all.add(a.nodes[i + name]);
  if (a.strings[a.nodes[i + name]] !== b.strings[b.nodes[i + name]]) replaced.set(a.nodes[i + name], b.strings[b.nodes[i + name]]);
}
const rules = new Map();
for (const text of replaced.values()) for (const [, rule] of new Set(text.match(/\[[a-z0-9-]+#/g) || []).entries()) rules.set(rule.slice(1, -1), (rules.get(rule.slice(1, -1)) || 0) + 1);
const untold = [...rules.keys()].filter(rule => !told.includes(`\n  ${rule} `));
const list = [...rules].sort((x, y) => y[1] - x[1]).map(([rule, n]) => `${rule} ${n}`).join(', ');
console.log(`a program without secrets: ${replaced.size} of ${all.size} texts replaced (${(100 * replaced.size / all.size).toFixed(3)} %): ${list}`);
if (untold.length) console.log(`FAILED: the rehearsal does not tell ${untold.join(', ')}`);
if (replaced.size * 1000 > all.size) console.log('FAILED: more than one in a thousand');
process.exit(untold.length || replaced.size * 1000 > all.size ? 1 : 0);
