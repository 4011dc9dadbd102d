// Says which planted secrets survive in files, by place and written form; never prints a secret.
// usage: node check.js --truth T.json --file OUT [--file STDOUT.txt ...] [--ignore PLACE-PREFIX ...] [--expect-all] [--json]
// exit: 0 nothing survives, 1 something does, 2 usage. With --expect-all: 0 when every place is found (for unscrubbed files).
'use strict';
const fs = require('fs');
const path = require('path');
const {readArgs, usage} = require('./lib/args.js');
const {buildSearch} = require('./lib/search.js');
const {loadSnapshot} = require('./lib/snapshot.js');
const {joinedTexts} = require('./lib/joined.js');
const {wordsByPlace} = require('./lib/words.js');

/** Survivors in one file: [{place, form, count}]. */
function checkFile(truth, file, search) {
  const counts = new Map();
  const note = prefix => (place, form) => {
    const key = place + '\t' + prefix + form;
    counts.set(key, (counts.get(key) || 0) + 1);
  };
  search(fs.readFileSync(file), note(''));
  const s = loadSnapshot(file);
  let words = [];
  if (s) {
    search(Buffer.from(s.strings.join('\n')), note('decoded '));
    const joined = joinedTexts(s);
    for (const kind of Object.keys(joined)) search(Buffer.from(joined[kind].join('\n')), note(`joined ${kind} `));
    if (truth.byPlace) words = wordsByPlace(s, truth.byPlace);
  }
  const rows = [...counts].map(([key, count]) => { const [place, form] = key.split('\t'); return {place, form, count}; });
  return [...rows, ...words];
}

/** Survivors over several files: [{file, place, form, count}]. */
function check(truth, files) {
  const search = buildSearch(truth.places);
  return files.flatMap(f => checkFile(truth, f, search).map(row => ({file: path.basename(f), ...row})));
}

/** Places that should show in one of the given (unscrubbed) files and do not. */
function missing(truth, files, rows) {
  const found = new Set(rows.map(r => r.file + '\t' + r.place));
  const expected = truth.places.map(p => [p.id, p.files || [truth.file]]);
  if (truth.byPlace) for (const f of truth.byPlace.wordFields) expected.push(['words/' + f, [truth.file]]);
  const given = files.map(f => path.basename(f));
  return expected.flatMap(([id, shows]) => shows.filter(f => given.includes(f) && !found.has(f + '\t' + id)).map(f => `${f}: ${id}`));
}

function main() {
  const USAGE = 'node check.js --truth T.json --file OUT [--file MORE ...] [--ignore PLACE-PREFIX ...] [--expect-all] [--json]';
  let a, truth;
  try {
    a = readArgs(process.argv.slice(2), {truth: 'one', file: 'many', ignore: 'many', json: 'flag', 'expect-all': 'flag'});
    if (!a.truth || !a.file.length || a.rest.length) throw new Error('a truth file and at least one file are needed');
    truth = JSON.parse(fs.readFileSync(a.truth, 'utf8'));
    for (const f of a.file) fs.accessSync(f);
  } catch (e) { usage(USAGE, e); }
  const rows = check(truth, a.file).filter(r => !a.ignore.some(p => r.place.startsWith(p)));
  const places = new Set(rows.map(r => r.place)), absent = missing(truth, a.file, rows);
  if (a.json) console.log(JSON.stringify({places: truth.places.length, surviving: places.size, rows, absent: a['expect-all'] ? absent : undefined}));
  else {
    if (!a['expect-all']) for (const r of rows) console.log(`${r.file}: ${r.place}: ${r.form} x${r.count}`);
    else for (const id of absent) console.log(`not found: ${id}`);
    const total = truth.places.length + (truth.byPlace ? truth.byPlace.wordFields.length : 0);
    console.log(`${places.size} of ${total} places survive`);
  }
  process.exit(a['expect-all'] ? (absent.length ? 1 : 0) : rows.length ? 1 : 0);
}

module.exports = {check, checkFile, missing};
if (require.main === module) main();
