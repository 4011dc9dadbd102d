// Plants tokens of many kinds in every form that hides them, and values that only their key gives away.
// usage: node --expose-gc plant_tokens.js --seed N --out DIR
//   DIR/forms.heapsnapshot: each kind as rope, deep rope, slice, list of characters, halves, cut, and in every encoding
//   DIR/held.heapsnapshot:  kinds that say nothing by themselves, as properties, map entries, headers, pairs
//   DIR/kinds.heapsnapshot: every further kind that says what it is, as property, map entry, header, key of a dictionary, rope
//   DIR/bare.heapsnapshot:  the same values as those of held.heapsnapshot, with nothing beside them
'use strict';
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const {spawnSync} = require('child_process');
const {readArgs, usage} = require('./lib/args.js');
const {generator} = require('./lib/canary.js');
const {sample, withLuhn} = require('./lib/sample.js');

const USAGE = 'node --expose-gc plant_tokens.js --seed N --out DIR';
let args;
try { args = readArgs(process.argv.slice(2), {seed: 'one', out: 'one', part: 'one'}); } catch (e) { usage(USAGE, e); }
if (!/^\d+$/.test(args.seed || '') || !args.out) usage(USAGE);
const out = path.resolve(args.out);
const kinds = JSON.parse(fs.readFileSync(path.join(__dirname, 'token_kinds.json'), 'utf8'));

/** A copy that shares nothing with the text it was made from. */
const flat = text => Buffer.from(text, 'utf8').toString('utf8');
const percent = text => [...Buffer.from(text)].map(b => '%' + b.toString(16).padStart(2, '0')).join('');
const unicode = text => [...text].map(c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0')).join('');
const base64 = text => Buffer.from(text).toString('base64');
const filler = n => 'lorem ipsum dolor sit amet '.repeat(Math.ceil(n / 27)).slice(0, n);

/** Characters of a token that stand before the place where snapshots cut a text. */
const CUT = 28;
// Each form keeps the token in its own way only.
const FORMS = {
  rope: t => ({kept: flat(t.slice(0, t.length >> 1)) + flat(t.slice(t.length >> 1))}),
  'deep-rope': t => {
    let text = flat('a text of some length, ');
    for (let i = 0; i < t.length; i += 3) text += flat(t.slice(i, i + 3));
    return {kept: text + flat(' and more')};
  },
  slice: t => ({kept: flat(filler(40) + ' ' + t + ' ' + filler(40)).slice(30)}),
  characters: t => ({kept: [...t]}),
  halves: t => ({kept: [flat(t.slice(0, t.length >> 1)), flat(t.slice(t.length >> 1))]}),
  pieces: t => ({kept: t.match(/.{1,5}/gs).map(flat)}),
  cut: t => ({kept: flat(filler(1023 - CUT) + ' ' + t)}),
  base64: t => ({kept: flat(base64(t))}),
  'base64-in-json': t => ({kept: flat(JSON.stringify({id: 7, data: base64(JSON.stringify({session: t}))}))}),
  hex: t => ({kept: flat(Buffer.from(t).toString('hex'))}),
  percent: t => ({kept: flat('v=' + percent(t) + '&x=1')}),
  'json-escaped': t => ({kept: flat(JSON.stringify({body: 'say "' + t + '"'}))}),
  'unicode-escaped': t => ({kept: flat('{"body":"' + unicode(t) + '"}')}),
  'double-escaped': t => ({kept: flat(JSON.stringify(JSON.stringify({body: 'say "' + t + '"'})))}),
  'double-unicode': t => ({kept: flat(JSON.stringify('{"body":"' + unicode(t) + '"}'))}),
};
const camel = key => key.replace(/[-_. ]+(.)/g, (m, c) => c.toUpperCase());
const header = key => 'X-' + key.replace(/[_. ]+/g, '-');
const HOLDERS = {
  property: (key, v) => ({ok: true, [camel(key)]: v}),
  map: (key, v) => new Map([['first', 1], [key, v]]),
  header: (key, v) => (typeof Headers === 'function' ? new Headers({[header(key).toLowerCase()]: v}) : [header(key), v]),
  'raw-headers': (key, v) => ['Host', 'localhost', header(key), v, 'Accept', '*/*'],
  pair: (key, v) => [['first', 'x'], [key, v]],
  search: (key, v) => new URLSearchParams([[key, v]]),
  'name-value': (key, v) => ({name: key, value: v}),
  dictionary: (key, v) => { const o = Object.create(null); for (let i = 0; i < 40; i++) o['entry ' + i] = {}; o[key] = v; return o; },
};

/** Holders whose key says nothing. */
const SIMPLE = {
  property: v => ({ok: true, value: v}),
  map: v => new Map([['first', 1], ['second', v]]),
  header: v => ['Host', 'localhost', 'X-Value', v],
  'dictionary-key': v => { const o = Object.create(null); for (let i = 0; i < 40; i++) o['entry ' + i] = {}; o[v] = 1; return o; },
  'rope-piece': v => ({value: flat(v.slice(0, v.length >> 1)) + flat(v.slice(v.length >> 1))}),
};

const token = (kind, form) => {
  const text = sample(kind.grammar, generator(`${args.seed}|${kind.id}|${form}`));
  return kind.check === 'luhn' ? withLuhn(text) : text;
};
function truth() {
  const places = [];
  for (const kind of kinds.tokens) {
    for (const form of Object.keys(FORMS)) {
      const t = token(kind, form), cut = form === 'cut';
      places.push({id: `${form}/${kind.id}`, canary: cut ? t.slice(0, CUT) : t, parts: [], files: ['forms.heapsnapshot']});
    }
  }
  for (const kind of kinds.more) {
    for (const holder of Object.keys(SIMPLE)) places.push({id: `${holder}/${kind.id}`, canary: token(kind, holder).slice(0, 900), parts: [], files: ['kinds.heapsnapshot']});
  }
  for (const kind of kinds.held) {
    for (const holder of Object.keys(HOLDERS)) places.push({id: `${holder}/${kind.id}`, canary: token(kind, holder), parts: [], files: ['held.heapsnapshot', 'bare.heapsnapshot']});
  }
  return places;
}

async function plant(part) {
  const kept = globalThis.planted = [];
  if (part === 'forms') for (const kind of kinds.tokens) for (const form of Object.keys(FORMS)) kept.push(FORMS[form](token(kind, form)).kept);
  if (part === 'kinds') for (const kind of kinds.more) for (const holder of Object.keys(SIMPLE)) kept.push(SIMPLE[holder](flat(token(kind, holder))));
  if (part === 'held') for (const kind of kinds.held) for (const holder of Object.keys(HOLDERS)) kept.push(HOLDERS[holder](kind.key, flat(token(kind, holder))));
  if (part === 'bare') for (const kind of kinds.held) for (const holder of Object.keys(HOLDERS)) kept.push(flat(token(kind, holder)));
  for (let i = 0; i < 3; i++) { await new Promise(r => setImmediate(r)); globalThis.gc(); }
  v8.writeHeapSnapshot(path.join(out, part + '.heapsnapshot'));
}

if (args.part) plant(args.part);
else {
  fs.mkdirSync(out, {recursive: true});
  for (const part of ['forms', 'kinds', 'held', 'bare']) {
    const run = spawnSync(process.execPath, ['--expose-gc', __filename, '--seed', args.seed, '--out', out, '--part', part], {stdio: 'inherit'});
    if (run.status !== 0) process.exit(run.status || 1);
  }
  const places = truth();
  fs.writeFileSync(path.join(out, 'truth.json'), JSON.stringify({seed: Number(args.seed), runtime: `node ${process.versions.node}`, file: 'forms.heapsnapshot', places}));
  console.log(`${places.length} places, ${kinds.tokens.length + kinds.more.length} kinds of tokens, ${kinds.held.length} kinds known by their key`);
}
