'use strict';
// What people write first: replaces the text of every string node. usage: node blank.cjs IN OUT
const fs = require('fs');
const [from, to] = process.argv.slice(2);
const file = JSON.parse(fs.readFileSync(from, 'utf8'));
const { node_fields: fields, node_types: types } = file.snapshot.meta;
const [type, name] = [fields.indexOf('type'), fields.indexOf('name')];
const texts = new Set(['string', 'concatenated string', 'sliced string'].map((word) => types[type].indexOf(word)));
const blank = file.strings.push('(gone)') - 1;
const elsewhere = new Set();
const blanked = new Set();
for (let at = 0; at < file.nodes.length; at += fields.length) {
  if (!texts.has(file.nodes[at + type])) { elsewhere.add(file.nodes[at + name]); continue; }
  blanked.add(file.nodes[at + name]);
  file.nodes[at + name] = blank;
}
const { edge_fields: edges, edge_types: kinds } = file.snapshot.meta;
for (let at = 0; at < file.edges.length; at += edges.length) {
  const kind = kinds[0][file.edges[at]];
  if (kind !== 'element' && kind !== 'hidden') elsewhere.add(file.edges[at + 1]);
}
for (const id of blanked) if (!elsewhere.has(id)) file.strings[id] = '';
fs.writeFileSync(to, JSON.stringify(file));
