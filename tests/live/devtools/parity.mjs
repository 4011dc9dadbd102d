// Checks that `heapscrub report` computes what DevTools' own worker computes, node by node and row by row.
// usage: [HEAPSCRUB=PATH] [HEAPSCRUB_TOOLS=DIR] node --max-old-space-size=8000 parity.mjs FILE...
//   several files are a series of one process, in order
//
// 1. distance, dominator, self size and retained size of every node: as DevTools has them for the original;
// 2. the class table, names and places included: as DevTools has it for the sanitised file;
// 3. the class table when a rules file keeps every label: as DevTools has it for the original
//    (for files that hold no secrets: a rule that objects to a name would be a difference);
// 4. of a series, the class table of every snapshot, and what came and went between the first and the last.
// In a series shapes of plain objects are those of the last snapshot, as in DevTools' Comparison view.
// Prints one line per check. Exit status: 0 equal, 1 a difference, 2 something did not run.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {writeRules} from './keep_all.mjs';
import {loadSnapshot} from './load.mjs';
import {devtoolsNodes, nodeDifferences, readNodes} from './nodes.mjs';
import {classTableWithShapes, comparison, differences, reportComparison, reportTable} from './tables.mjs';

const heapscrub = process.env.HEAPSCRUB ?? fileURLToPath(new URL('../../../target/release/heapscrub', import.meta.url));
const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: parity.mjs FILE...');
  process.exit(2);
}
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'heapscrub-parity-'));
process.on('exit', () => fs.rmSync(work, {recursive: true, force: true}));
const label = path.basename(files[0]) + (files.length > 1 ? ` and ${files.length - 1} more` : '');

let wrong = 0;
function check(what, found, size) {
  if (found.length) wrong++;
  console.log(`${found.length ? 'DIFFERENT' : 'ok'}  ${label}: ${what}: ${found.length ? `${found.length} differences` : `equal (${size})`}`);
  for (const line of found.slice(0, 10)) console.log(`    ${line.slice(0, 400)}`);
}

function run(...args) {
  const {status, stderr, error} = spawnSync(heapscrub, [...args, '--quiet'], {encoding: 'utf8'});
  if (status === 0) return;
  console.error(`heapscrub ${args[0]} ended with ${status}: ${error?.message ?? stderr.slice(-600)}`);
  process.exit(2);
}

function report(name, ...flags) {
  const out = path.join(work, `${name}.json`);
  run('report', ...files, '--format', 'json', '--limit', '0', '-o', out, ...flags);
  return JSON.parse(fs.readFileSync(out, 'utf8'));
}

function compareClasses(what, ours, snapshots) {
  for (const [at, {classes}] of snapshots.entries()) {
    const {table, faults} = reportTable(ours, at);
    const theirs = at === snapshots.length - 1 ? classes : new Map([...classes].map(([key, row]) => [key, {...row, distance: undefined}]));
    check(`${what}${snapshots.length > 1 ? `, snapshot ${at + 1}` : ''}`, [...faults, ...differences(theirs, table)], `${classes.size} classes`);
  }
  if (snapshots.length < 2) return;
  const {table, faults} = reportComparison(ours);
  const {came} = snapshots.at(-1);
  check(`${what}, what came and went`, [...faults, ...differences(came, table)], `${came.size} classes`);
}

// What DevTools says of a series, as plain data. The newest is loaded first, since its shapes are applied to the others;
// of the older ones only one is in memory at a time.
async function devtools(names, wantNodes) {
  const newest = await loadSnapshot(names.at(-1));
  const result = [];
  for (const name of names) {
    const isNewest = name === names.at(-1);
    const snapshot = isNewest ? newest : await loadSnapshot(name);
    const row = {nodes: wantNodes ? devtoolsNodes(snapshot) : null, classes: classTableWithShapes(snapshot, newest)};
    if (result.length === 0 && !isNewest) row.base = comparison(snapshot, newest);
    result.push(row);
  }
  result.at(-1).came = result[0].base;
  return result;
}

// With several inputs `scrub` wants as many outputs.
const outputs = files.map((_, i) => path.join(work, `clean-${i + 1}.heapsnapshot`));
run('scrub', ...files, ...outputs.flatMap((out) => ['-o', out]));
const tables = path.join(work, 'nodes');
fs.mkdirSync(tables);
const strict = report('strict', '--node-table', tables);
const rules = path.join(work, 'keep-all.toml');
const labels = writeRules(rules, files);
const kept = report('kept', '--rules', rules);

const original = await devtools(files, true);
for (const [at, {nodes}] of original.entries()) {
  const number = files.length > 1 ? `, snapshot ${at + 1}` : '';
  check(`every node as in the original${number}`, nodeDifferences(nodes, readNodes(tables, at + 1)), `${nodes.self.length} nodes, 4 numbers each`);
  original[at].nodes = null;
}
compareClasses(`class table with all labels kept (${labels}), as of the original`, kept, original);
compareClasses('class table as of the sanitised file', strict, await devtools(outputs, false));
process.exit(wrong ? 1 : 0);
