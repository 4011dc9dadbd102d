// Plants made-up user names, passwords and tenant names, and ordinary words, as keys of dictionaries and Maps.
// usage: node --expose-gc plant_names.js --seed N --out DIR
'use strict';
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const {readArgs, usage} = require('./lib/args.js');
const {inventedWord} = require('./lib/canary.js');
const {loadSnapshot} = require('./lib/snapshot.js');

const USAGE = 'node --expose-gc plant_names.js --seed N --out DIR';
const FILE = 'names.heapsnapshot';
// Kept as one text so that the words are no keys, no constants and no strings of their own until they are planted.
const WORDS = () => fs.readFileSync(path.join(__dirname, 'lib', 'words.txt'), 'utf8').trim().split(/\s+/).map(w => [...w].join(''));

let args;
try { args = readArgs(process.argv.slice(2), {seed: 'one', out: 'one'}); } catch (e) { usage(USAGE, e); }
if (!/^\d+$/.test(args.seed || '') || !args.out || !globalThis.gc) usage(USAGE);
const out = path.resolve(args.out);

class NameLab {}
const group = i => ['user', 'password', 'tenant'][i % 3];
/** Name number i: user names, one-word passwords and tenants in turn. */
const nameAt = i => [() => 'u' + inventedWord(args.seed, i, 8), () => inventedWord(args.seed, i, 10), () => inventedWord(args.seed, i, 7) + 'corp'][i % 3]();
const objectValue = i => ({seen: i, tags: ['a']});
const textValue = i => ['active', i % 2].join('-');
const inserted = (keys, value, base) => keys.reduce((o, k, i) => { o[k] = value(i); return o; }, base);

/** How a dictionary comes to be: id, number of keys (0: all), builder. */
const BUILDERS = [
  ['small-objects', 5, keys => inserted(keys, objectValue, {})],
  ['small-texts', 4, keys => inserted(keys, textValue, {})],
  ['small-null-prototype', 6, keys => inserted(keys, objectValue, Object.create(null))],
  ['small-parsed', 8, keys => JSON.parse(JSON.stringify(inserted(keys, objectValue, {})))],
  ['small-numbers', 3, keys => inserted(keys, i => i, {})],
  ['large-inserted', 0, keys => inserted(keys, objectValue, {})],
  ['large-dictionary', 0, keys => { const o = inserted(keys, objectValue, {first: 0}); delete o.first; return o; }],
  ['large-null-prototype', 0, keys => inserted(keys, textValue, Object.create(null))],
  ['large-parsed', 0, keys => JSON.parse(JSON.stringify(inserted(keys, objectValue, {})))],
  ['map', 0, keys => new Map(keys.map((k, i) => [k, objectValue(i)]))],
  ['small-map', 4, keys => new Map(keys.map((k, i) => [k, i]))],
];
const COPIES = [1, 2, 20];

/** Every (builder, copies) pair takes its own stretch of the list so that small ones see many different names. */
function plant(lab, prefix, total, at) {
  const fields = [];
  BUILDERS.forEach(([id, size, build], b) => COPIES.forEach((copies, c) => {
    const start = ((b * COPIES.length + c) * 8) % total, n = size || total;
    const field = prefix + ('-' + id).replace(/-(.)/g, (m, ch) => ch.toUpperCase()) + 'X' + copies;
    lab[field] = Array.from({length: copies}, () => build(Array.from({length: n}, (_, i) => at((start + i) % total))));
    fields.push(field);
  }));
  return fields;
}

const NAMES = 200;
fs.mkdirSync(out, {recursive: true});
globalThis.nameLab = new NameLab();
plant(globalThis.nameLab, 'names', NAMES, nameAt);
const wordCount = WORDS().length;
const wordFields = plant(globalThis.nameLab, 'words', wordCount, i => WORDS()[i]);
for (let i = 0; i < 3; i++) globalThis.gc();
v8.writeHeapSnapshot(path.join(out, FILE));

const s = loadSnapshot(path.join(out, FILE));
let holder = -1;
for (let n = 0; n < s.count; n++) if (s.type(n) === 'object' && s.name(n) === 'NameLab' && s.follow(n, wordFields[0]) >= 0) holder = n;
const places = Array.from({length: NAMES}, (_, i) => ({id: `name/${group(i)}-${i}`, canary: nameAt(i), shape: group(i), parts: []}));
// Which edge of the holder each field is, so that it can be told once its label is gone.
const fields = s.propertyOffsets(holder);
fs.writeFileSync(path.join(out, 'truth.json'), JSON.stringify({seed: Number(args.seed), runtime: `node ${process.versions.node}`, file: FILE, files: [FILE], places,
  byPlace: {holder: 'NameLab', holderId: s.id(holder), fields, wordFields, words: WORDS()}}, null, 1));
console.log(`${NAMES} names, ${wordCount} words, ${Object.keys(fields).length} fields`);
