// Runs `heapscrub report` on snapshots with known leaks and compares what it says with what was planted.
// usage: [HEAPSCRUB=PATH] node check_leaks.mjs [--owners] [--keep DIR] TRUTH.json...
//   --owners   of each series only the last snapshot: who holds what is there (holders) must be right with one snapshot too
//   --keep     keeps the reports
// The profile is strict, without any help: names have to survive by what the snapshots themselves tell.
// Prints one line per report and each fault. Exit status: 0 as planted, 1 not, 2 the program failed.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {judgeLeaks, judgeOwners} from './judge.mjs';

const heapscrub = process.env.HEAPSCRUB ?? fileURLToPath(new URL('../../../target/release/heapscrub', import.meta.url));
const truths = [];
let owners = false, keep = null;
for (let at = 2; at < process.argv.length; at++) {
  if (process.argv[at] === '--owners') owners = true;
  else if (process.argv[at] === '--keep') keep = process.argv[++at];
  else truths.push(process.argv[at]);
}
if (truths.length === 0) {
  console.error('usage: check_leaks.mjs [--owners] [--keep DIR] TRUTH.json...');
  process.exit(2);
}
const work = keep ?? fs.mkdtempSync(path.join(os.tmpdir(), 'heapscrub-leaks-'));
fs.mkdirSync(work, {recursive: true});
process.on('exit', () => { if (!keep) fs.rmSync(work, {recursive: true, force: true}); });

let wrong = 0;
for (const [at, file] of truths.entries()) {
  const truth = JSON.parse(fs.readFileSync(file, 'utf8'));
  const all = truth.files.map((name) => path.resolve(path.dirname(file), name));
  const inputs = owners ? all.slice(-1) : all;
  const out = path.join(work, `report-${at + 1}.json`);
  const flags = owners ? [] : ['--work', truth.work.join(',')];
  const {status, stderr, error} = spawnSync(heapscrub, ['report', ...inputs, '--format', 'json', '--limit', '0', '-o', out, '--force', '--quiet', ...flags], {encoding: 'utf8'});
  if (status !== 0) {
    console.error(`heapscrub report ended with ${status}: ${error?.message ?? stderr.slice(-600)}`);
    process.exit(2);
  }
  const report = JSON.parse(fs.readFileSync(out, 'utf8'));
  const {faults, notes} = owners ? judgeOwners(truth, report, truth.rounds - 1) : judgeLeaks(truth, report);
  if (faults.length) wrong++;
  const kinds = truth.kinds.length > 3 ? `${truth.kinds.length} kinds` : truth.kinds.join(', ');
  const what = owners ? `${truth.leaks.length} owners in one snapshot` : `${truth.leaks.length} leaks, ${truth.fixed.length} mended, ${Object.keys(truth.healthy).length} healthy`;
  const missing = truth.missing.length ? `; not in this runtime: ${truth.missing.join(', ')}` : '';
  console.log(`${faults.length ? 'WRONG' : 'ok'}  ${truth.runtime}, ${kinds}, seed ${truth.seed}, ${truth.per_round} a round: ${what}${notes.length ? `; ${notes.join('; ')}` : ''}${missing}`);
  for (const fault of faults) console.log(`    ${fault}`);
}
process.exit(wrong ? 1 : 0);
