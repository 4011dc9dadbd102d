// Proves that check.js can fail and can pass: every written form is found, every planted place is found in the
// unscrubbed file, and nothing is found in a copy whose texts and large element indices were blanked.
// usage: node check_self.js --truth T.json
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {readArgs, usage} = require('./lib/args.js');
const {check, missing} = require('./check.js');
const {buildSearch} = require('./lib/search.js');
const {formsOf} = require('./lib/encodings.js');

const KEPT = new Set(['(concatenated string)', '(sliced string)', 'first', 'second', 'parent', 'properties', 'elements', 'table', 'map', 'descriptors', 'value', '__proto__']);

/** Writes a copy of a snapshot that holds no text and no large index. */
function blank(file, to) {
  const j = JSON.parse(fs.readFileSync(file, 'utf8')), meta = j.snapshot.meta, size = meta.edge_fields.length;
  const type = meta.edge_fields.indexOf('type'), name = meta.edge_fields.indexOf('name_or_index'), element = meta.edge_types[type].indexOf('element');
  for (let i = 0; i < j.edges.length; i += size) if (j.edges[i + type] === element && j.edges[i + name] > 1e7) j.edges[i + name] = 1e7;
  j.strings = j.strings.map((s, i) => (KEPT.has(s) ? s : `[text#${i}]`));
  fs.writeFileSync(to, JSON.stringify(j));
}

/** Forms of canaries that the search does not see between other bytes. */
function unseenForms(truth) {
  const search = buildSearch(truth.places), unseen = [];
  for (const place of truth.places) {
    for (const form of formsOf(place.canary)) {
      let seen = false;
      search(Buffer.concat([Buffer.from('noise \xff\x00 '), form.bytes, Buffer.from('\x00 noise')]), id => { if (id === place.id) seen = true; });
      if (!seen) unseen.push(`${place.id} ${form.form}`);
    }
  }
  return unseen;
}

function main() {
  const USAGE = 'node check_self.js --truth T.json';
  let a, truth;
  try { a = readArgs(process.argv.slice(2), {truth: 'one'}); truth = JSON.parse(fs.readFileSync(a.truth, 'utf8')); } catch (e) { usage(USAGE, e); }
  const dir = path.dirname(a.truth), files = truth.files.map(f => path.join(dir, f));
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'canary-blank-'));
  const faults = unseenForms({places: truth.places.slice(0, 40)}).map(x => 'form not seen: ' + x);
  faults.push(...missing(truth, files, check(truth, files)).map(x => 'not found unscrubbed: ' + x));
  for (const file of files) {
    const copy = path.join(temporary, path.basename(file));
    blank(file, copy);
    faults.push(...check(truth, [copy]).map(r => `found in the blanked copy: ${r.file}: ${r.place}: ${r.form}`));
    fs.unlinkSync(copy);
  }
  fs.rmdirSync(temporary);
  for (const f of faults) console.log(f);
  console.log(`${truth.runtime}: ${truth.places.length} places, ${faults.length} faults`);
  process.exit(faults.length ? 1 : 0);
}

main();
