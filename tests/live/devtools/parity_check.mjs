// Checks that the comparisons of parity.mjs notice damage: DevTools' own numbers as a report, untouched and damaged.
// usage: node --max-old-space-size=8000 parity_check.mjs FIRST LAST      (two snapshots of one process)
// Exit status: 0 every damage is noticed and nothing else, 1 not.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {loadSnapshot} from './load.mjs';
import {devtoolsNodes, nodeDifferences, readNodes} from './nodes.mjs';
import {classTableWithShapes, comparison, differences, reportComparison, reportTable} from './tables.mjs';

const [firstFile, lastFile] = process.argv.slice(2);
const newest = await loadSnapshot(lastFile), base = await loadSnapshot(firstFile);
const [first, last] = [base, newest].map((snapshot) => classTableWithShapes(snapshot, newest));
const came = comparison(base, newest), nodes = devtoolsNodes(newest);

// A report with exactly what DevTools says.
function truthful() {
  const classes = [...new Set([...first.keys(), ...last.keys()])].map((key) => {
    const [a, b] = [first.get(key), last.get(key)].map((row) => row ?? {count: 0, shallow: 0, retained: 0, distance: null});
    const [, script_id, line, column, name] = /^(?:(\d+),(\d+),(\d+))?,(.*)$/s.exec(key);
    return {
      class: name, location: script_id === undefined ? null : {script: null, script_id: Number(script_id), line: Number(line) + 1, column: Number(column) + 1},
      count: b.count, shallow: b.shallow, retained: b.retained, distance: b.distance, counts: [a.count, b.count], shallows: [a.shallow, b.shallow], retaineds: [a.retained, b.retained],
      delta_count: b.count - a.count, delta_shallow: b.shallow - a.shallow, delta_retained: b.retained - a.retained,
      added: came.get(key)?.added ?? 0, removed: came.get(key)?.removed ?? 0, new: a.count === 0 && b.count > 0,
    };
  });
  return {inputs: [{}, {}], classes, classes_left_out: 0};
}

function faultsOf(report) {
  const tables = [reportTable(report, 0), reportTable(report, 1)], gone = reportComparison(report);
  const early = new Map([...first].map(([key, row]) => [key, {...row, distance: undefined}]));
  return [...tables.flatMap((t) => t.faults), ...gone.faults, ...differences(early, tables[0].table), ...differences(last, tables[1].table), ...differences(came, gone.table)].length;
}

const placed = (report) => report.classes.find((row) => row.location && row.count > 0);
const plain = (report) => report.classes.find((row) => !row.location && row.count > 1 && row.counts[0] > 1);
const changed = (report) => report.classes.find((row) => row.added > 0);
const reports = [
  ['untouched', false, () => {}],
  ['a name', true, (r) => { plain(r).class += '?'; }],
  ['a place is missing', true, (r) => { placed(r).location = null; }],
  ['a place is off by one', true, (r) => { placed(r).location.line--; }],
  ['a row is missing', true, (r) => { r.classes.splice(r.classes.indexOf(plain(r)), 1); }],
  ['a row is there twice', true, (r) => { r.classes.push({...plain(r)}); }],
  ['rows of two places are one', true, (r) => { const rows = r.classes.filter((row) => row.location); Object.assign(rows[1], {location: rows[0].location, class: rows[0].class}); }],
  ['a row too many', true, (r) => { r.classes.push({...plain(r), class: 'Invented'}); }],
  ['rows left out', true, (r) => { r.classes_left_out = 1; }],
  ['a count of the last', true, (r) => { plain(r).counts[1]++; plain(r).count++; plain(r).delta_count++; plain(r).added++; }],
  ['a count of the first', true, (r) => { plain(r).counts[0]++; }],
  ['a shallow size', true, (r) => { const row = plain(r); row.shallow += 8; row.shallows[1] += 8; row.delta_shallow += 8; }],
  ['a retained size', true, (r) => { const row = plain(r); row.retained += 8; row.retaineds[1] += 8; row.delta_retained += 8; }],
  ['a retained size of the first', true, (r) => { plain(r).retaineds[0] += 8; }],
  ['a distance', true, (r) => { plain(r).distance++; }],
  ['added', true, (r) => { changed(r).added++; }],
  ['added and removed', true, (r) => { changed(r).added++; changed(r).removed++; }],
  ['added is not told', true, (r) => { changed(r).added = null; }],
  ['a delta', true, (r) => { changed(r).delta_retained++; }],
  ['new', true, (r) => { plain(r).new = true; }],
  ['one snapshot less', true, (r) => { plain(r).counts.pop(); }],
];
let wrong = 0;
function tell(what, expected, noticed) {
  if (noticed !== expected) wrong++;
  console.log(`${noticed === expected ? 'ok' : 'WRONG'}  ${what}: ${noticed ? 'noticed' : 'no difference'}`);
}
for (const [what, expected, damage] of reports) {
  const report = truthful();
  damage(report);
  tell(what, expected, faultsOf(report) > 0);
}

// Columns of nodes, written as the program writes them.
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'heapscrub-parity-check-'));
const write = (columns) => {
  const kinds = {distance: ['i32', Int32Array], dominator: ['u32', Uint32Array], self: ['u64', BigUint64Array], retained: ['u64', BigUint64Array]};
  for (const [name, [ending, Kind]] of Object.entries(kinds)) {
    fs.writeFileSync(path.join(dir, `snapshot-1.${name}.${ending}`), Kind.from(columns[name], ending === 'u64' ? BigInt : Number));
  }
};
const middle = nodes.self.length >> 1;
for (const name of [null, 'distance', 'dominator', 'self', 'retained', 'short']) {
  const copy = Object.fromEntries(Object.entries(nodes).map(([column, values]) => [column, Array.from(values)]));
  if (name === 'short') copy.self.pop();
  else if (name) copy[name][middle]++;
  write(copy);
  tell(name === null ? 'columns untouched' : name === 'short' ? 'a node less' : `${name} of one node`, name !== null, nodeDifferences(nodes, readNodes(dir, 1)).length > 0);
}
fs.rmSync(dir, {recursive: true, force: true});
process.exit(wrong ? 1 : 0);
