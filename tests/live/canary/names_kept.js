// Measures, independently of the tool, how many program names of a snapshot survive scrubbing.
// usage: node names_kept.js ORIGINAL SCRUBBED [--source DIR] [--lost FILE] [--min PERCENT] [--json]
// exit: 0; 1 when fewer than --min percent of live (or program) names or not all source names are kept; 2 usage.
'use strict';
const fs = require('fs');
const {readArgs, usage} = require('./lib/args.js');
const {loadSnapshot} = require('./lib/snapshot.js');
const {liveNames} = require('./lib/live_names.js');
const {sourceNames} = require('./lib/source_names.js');

/** Keys that stand in the dictionary of node n, or null when it has none. */
function dictionaryKeys(s, n) {
  const store = s.follow(n, 'properties');
  if (store < 0) return null;
  const keys = new Set();
  for (let e = s.firstEdge[store]; e < s.firstEdge[store + 1]; e++) if (s.type(s.target(e)) === 'string') keys.add(s.name(s.target(e)));
  return keys;
}

/** name -> numbers of property (and context) edges that carry it; objects in dictionary mode are left out. */
function labelUses(s, withContext) {
  const uses = new Map();
  for (let n = 0; n < s.count; n++) {
    const type = s.type(n), owner = type === 'object' || type === 'closure';
    let keys;
    for (let e = s.firstEdge[n]; e < s.firstEdge[n + 1]; e++) {
      const kind = s.edgeType(e);
      if (!(kind === 'property' && owner) && !(withContext && kind === 'context')) continue;
      const label = s.edgeText(e);
      if (kind === 'property') {
        if (label === '__proto__') continue;
        if (keys === undefined) keys = dictionaryKeys(s, n);
        if (keys && keys.has(label)) continue;
      }
      if (!uses.has(label)) uses.set(label, []);
      uses.get(label).push(e);
    }
  }
  return uses;
}

/** name -> numbers of class instances and functions that carry it. */
function nodeUses(s) {
  const uses = new Map();
  for (let n = 0; n < s.count; n++) {
    const type = s.type(n);
    if (type !== 'object' && type !== 'closure') continue;
    if (!uses.has(s.name(n))) uses.set(s.name(n), []);
    uses.get(s.name(n)).push(n);
  }
  return uses;
}

const percent = (kept, total) => (total ? Math.round((kept / total) * 1000) / 10 : 100);

/** {live: {total, kept, percent, lost}, program: the part of it from the program's own scripts, source: the same or null}. */
function measure(original, scrubbed, sourceDir) {
  if (original.edgeCount !== scrubbed.edgeCount || original.count !== scrubbed.count) throw new Error('the two files differ in nodes or edges');
  const result = (names, isKept) => {
    const lost = names.filter(x => !isKept(x)).sort();
    return {total: names.length, kept: names.length - lost.length, percent: percent(names.length - lost.length, names.length), lost};
  };
  const edgeKept = uses => x => uses.get(x).some(e => scrubbed.edgeText(e) === x);
  const labels = labelUses(original, false);
  const used = programOnly => result([...liveNames(original, programOnly)].filter(x => labels.has(x)), edgeKept(labels));
  const live = used(false), program = used(true);
  if (!sourceDir) return {live, program, source: null};
  const wide = labelUses(original, true), nodes = nodeUses(original);
  const tokens = [...sourceNames(sourceDir)].filter(x => wide.has(x) || nodes.has(x));
  const source = result(tokens, x => (!wide.has(x) || edgeKept(wide)(x)) && (!nodes.has(x) || nodes.get(x).some(n => scrubbed.name(n) === x)));
  return {live, program, source};
}

function main() {
  const USAGE = 'node names_kept.js ORIGINAL SCRUBBED [--source DIR] [--lost FILE] [--min PERCENT] [--json]';
  let a, m;
  try {
    a = readArgs(process.argv.slice(2), {source: 'one', lost: 'one', min: 'one', json: 'flag'});
    if (a.rest.length !== 2) throw new Error('two snapshots are needed');
    const [original, scrubbed] = a.rest.map(loadSnapshot);
    if (!original || !scrubbed) throw new Error('not a heap snapshot');
    m = measure(original, scrubbed, a.source);
  } catch (e) { usage(USAGE, e); }
  if (a.lost) fs.writeFileSync(a.lost, Object.keys(m).flatMap(k => (m[k] ? m[k].lost.map(x => k + '\t' + x) : [])).join('\n') + '\n');
  const titles = {live: 'names used by live code', program: 'of these by the program', source: 'names found in the source'};
  for (const k of Object.keys(titles)) {
    if (!m[k]) continue;
    const {total, kept, percent: p, lost} = m[k];
    m[k] = {total, kept, percent: p, lost: lost.length};
    if (!a.json) console.log(`${titles[k]}: ${kept} of ${total} kept (${p} %)`);
  }
  if (a.json) console.log(JSON.stringify(m));
  process.exit((a.min !== undefined && Math.min(m.live.percent, m.program.percent) < Number(a.min)) || (m.source && m.source.lost) ? 1 : 0);
}

module.exports = {measure};
if (require.main === module) main();
