// What rules find and what they take for something: a seeded set of made-up secrets in the forms in which heaps hold them,
// texts that look like secrets and are none, and texts of a real heap without secrets.
//
// usage: node evaluate.js --heapscrub PROGRAM [--seed N] [--heap FILE.heapsnapshot] [--write DIR]
//   --write: also puts each text into a file of its own, for other tools: DIR/GROUP/FORM/N.txt, DIR/none/N.txt
// Prints one table; ends with 1 when a bar is missed. No text is printed that was found.
'use strict';
const fs = require('fs');
const path = require('path');
const {spawnSync} = require('child_process');
const {readArgs, usage} = require('../live/canary/lib/args.js');
const {generator} = require('../live/canary/lib/canary.js');
const {sample, withLuhn} = require('../live/canary/lib/sample.js');
const {negatives} = require('./negatives.js');

const USAGE = 'node evaluate.js --heapscrub PROGRAM [--seed N] [--heap FILE] [--write DIR]';
let args;
try { args = readArgs(process.argv.slice(2), {heapscrub: 'one', seed: 'one', heap: 'one', write: 'one'}); } catch (e) { usage(USAGE, e); }
if (!args.heapscrub) usage(USAGE);
const seed = args.seed || '1';
const kinds = JSON.parse(fs.readFileSync(path.join(__dirname, '../live/canary/token_kinds.json'), 'utf8'));

const base64 = text => Buffer.from(text).toString('base64');
const camel = key => key.replace(/[-_. ]+(.)/g, (m, c) => c.toUpperCase());
// Each gives the text that a heap would hold, and the key that holds it if the key tells what it is.
const FORMS = {
  bare: (key, value) => ({text: value}),
  key: (key, value) => ({text: value, key: camel(key)}),
  json: (key, value) => ({text: JSON.stringify({id: 7, [camel(key)]: value, ok: true})}),
  header: (key, value) => ({text: `GET /v1 HTTP/1.1\r\nHost: api.example.test\r\nX-${key.replace(/[_. ]+/g, '-')}: ${value}\r\nAccept: */*\r\n`}),
  url: (key, value) => ({text: `https://api.example.test/v1?${key}=${encodeURIComponent(value)}&page=2`}),
  env: (key, value) => ({text: `MODE=production\n${key.toUpperCase().replace(/\W+/g, '_')}=${value}\nPORT=3000`}),
  base64: (key, value) => ({text: base64(`${key}:${value}`)}),
  percent: (key, value) => ({text: encodeURIComponent(`${key}=${value}`)}),
  escaped: (key, value) => ({text: JSON.stringify({body: JSON.stringify({[key]: value})})}),
  utf16: (key, value) => ({text: Buffer.from(`${key}=${value}`, 'utf16le').toString('latin1')}),
};

// A table row is a group of kinds: those that say what they are, and those that only a key gives away.
const groups = [
  {name: 'says what it is', kinds: [...kinds.tokens, ...kinds.more], forms: Object.keys(FORMS), key: () => 'value'},
  {name: 'known by its key', kinds: kinds.held, forms: Object.keys(FORMS).filter(form => form !== 'bare'), key: kind => kind.key || kind.keys?.[0] || 'token'},
];
const lines = [], labels = [];
function add(label, line) { labels.push(label); lines.push(JSON.stringify(line)); }
for (const group of groups) {
  for (const kind of group.kinds) {
    for (const form of group.forms) {
      const plain = sample(kind.grammar, generator(`${seed}|evaluate|${kind.id}|${form}`)), value = kind.check === 'luhn' ? withLuhn(plain) : plain;
      add({group: group.name, form, id: kind.id}, FORMS[form](group.key(kind), value));
    }
  }
}
const quiet = negatives(generator(`${seed}|negatives`));
for (const {kind, text} of quiet) add({negative: kind}, {text});

if (args.write) {
  lines.forEach((line, i) => {
    const {group, form} = labels[i];
    if (form === 'key') return; // other tools see texts alone
    const dir = path.join(args.write, group ? group.replace(/ /g, '-') : 'none', form || '');
    fs.mkdirSync(dir, {recursive: true});
    fs.writeFileSync(path.join(dir, `${i}.txt`), JSON.parse(line).text, form === 'utf16' ? 'latin1' : 'utf8');
  });
}

// Texts of a heap that nobody put a secret into.
let heapTexts = 0;
if (args.heap) {
  const snapshot = JSON.parse(fs.readFileSync(args.heap, 'utf8'));
  for (const text of snapshot.strings) {
    if (Buffer.from(text, 'utf8').toString('utf8') !== text) continue; // halves of characters are no JSON text
    add({heap: true}, {text});
    heapTexts++;
  }
}

const run = spawnSync(args.heapscrub, ['rules', 'test', '--jsonl', '-'], {input: lines.join('\n') + '\n', maxBuffer: 1 << 30});
if (run.status !== 0) {
  process.stderr.write(run.stderr);
  process.exit(1);
}
const found = run.stdout.toString().trimEnd().split('\n').map(line => JSON.parse(line));
if (found.length !== lines.length) throw new Error(`${lines.length} texts and ${found.length} answers`);
const hit = found.map(f => f.spans.length > 0);

const share = (part, all) => all === 0 ? '-' : (100 * part / all).toFixed(0);
const pad = (cells, widths) => cells.map((cell, i) => i ? String(cell).padStart(widths[i]) : String(cell).padEnd(widths[i])).join(' ');
const forms = Object.keys(FORMS), widths = [18, ...forms.map(() => 8), 6];
console.log(`seed ${seed}: percent of made-up secrets that are found, by the form in which they stand`);
console.log(pad(['', ...forms, 'all'], widths));
for (const group of groups) {
  const of = form => labels.map((l, i) => i).filter(i => labels[i].group === group.name && (!form || labels[i].form === form));
  const cell = form => { const all = of(form); return share(all.filter(i => hit[i]).length, all.length); };
  console.log(pad([group.name, ...forms.map(cell), cell()], widths));
  const all = of();
  const missed = new Map();
  for (const i of all.filter(i => !hit[i])) missed.set(labels[i].id, (missed.get(labels[i].id) || 0) + 1);
  const worst = [...missed].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 8);
  if (worst.length) console.log(`  missed most often: ${worst.map(([id, n]) => `${id} ${n}`).join(', ')}`);
}
const byRule = indices => {
  const count = new Map();
  for (const i of indices) for (const rule of found[i].rules) count.set(rule, (count.get(rule) || 0) + 1);
  return [...count].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([rule, n]) => `${rule} ${n}`).join(', ') || 'none';
};
const wrong = labels.map((l, i) => i).filter(i => labels[i].negative && hit[i]);
console.log(`\nlook like secrets and are none: ${wrong.length} of ${quiet.length} taken for one`);
const kindsWrong = new Map();
for (const i of wrong) kindsWrong.set(labels[i].negative, (kindsWrong.get(labels[i].negative) || 0) + 1);
for (const [kind, n] of [...kindsWrong].sort((a, b) => b[1] - a[1])) console.log(`  ${kind}: ${n} of ${quiet.filter(q => q.kind === kind).length}`);
console.log(`  by rule: ${byRule(wrong)}`);
let heapWrong = 0;
if (args.heap) {
  const inHeap = labels.map((l, i) => i).filter(i => labels[i].heap && hit[i]);
  heapWrong = inHeap.length;
  console.log(`\nheap without secrets: ${inHeap.length} of ${heapTexts} texts taken for one`);
  console.log(`  by rule: ${byRule(inHeap)}`);
}
// Bars. What is found says nothing about kinds that nobody thought of: other programs' own examples are harder.
const BAR = {all: 0.98, form: 0.95};
let missed = 0;
for (const group of groups) {
  for (const form of [undefined, ...group.forms]) {
    const all = labels.map((l, i) => i).filter(i => labels[i].group === group.name && (!form || labels[i].form === form));
    const recall = all.filter(i => hit[i]).length / all.length, bar = form ? BAR.form : BAR.all;
    if (recall < bar) { console.log(`MISSED ${group.name}, ${form || 'all forms'}: ${(100 * recall).toFixed(1)} percent (bar ${100 * bar})`); missed++; }
  }
}
const sure = wrong.filter(i => found[i].confidence === 'high');
console.log(`  with high confidence: ${sure.length}`);
// Blanks are found, with low confidence.
if (wrong.filter(i => labels[i].negative !== 'blank').length > quiet.length * 0.06) { console.log('MISSED: more than 6 percent of what is no secret'); missed++; }
if (sure.length > quiet.length * 0.01) { console.log('MISSED: more than 1 percent of what is no secret, with high confidence'); missed++; }
if (heapWrong > heapTexts * 0.001) { console.log('MISSED: more than 1 in 1,000 texts of a heap without secrets'); missed++; }
process.exit(missed ? 1 : 0);
