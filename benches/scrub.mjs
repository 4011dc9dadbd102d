// Speed and memory of `heapscrub scrub` beside `memlab anonymize`, on the same files in the same session.
// usage: node benches/scrub.mjs      (after tests/install and cargo build --release; see benches/run)
//
// Peak memory is anonymous memory (RssAnon, polled every 2 ms): the mapped input belongs to the page cache.
// Exit status 1 when a bar is missed: 8x faster than memlab, memory at most 1x the file, 10x the file at most 12x time,
// 100,000 values to look for at most 30 % more time.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {spawn, spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const heapscrub = path.join(project, 'target/release/heapscrub');
const memlab = path.join(process.env.NPM_DIR, 'node_modules/.bin/memlab');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'heapscrub-bench-'));
process.on('exit', () => fs.rmSync(work, {recursive: true, force: true}));

function snapshot(name, sessions) {
  const file = path.join(work, name);
  const flags = ['--expose-gc', '--max-old-space-size=8000', path.join(project, 'tests/live/producers/agent_app.js')];
  const made = spawnSync(process.env.NODE20, [...flags, '--sessions', String(sessions), '--out', file], {stdio: ['ignore', 'ignore', 'inherit']});
  if (made.status !== 0) throw new Error('no snapshot');
  return file;
}

function anonymousBytes(pid) {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // the process has ended
  }
}

// Runs a command; gives seconds and peak anonymous bytes.
function measure(command, args) {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    let peak = 0;
    const child = spawn(command, args, {stdio: ['ignore', 'ignore', 'pipe']});
    let errors = '';
    child.stderr.on('data', (chunk) => { errors += chunk; });
    const timer = setInterval(() => { peak = Math.max(peak, anonymousBytes(child.pid)); }, 2);
    child.on('exit', (code) => {
      clearInterval(timer);
      if (code !== 0) return reject(new Error(`${path.basename(command)} ended with ${code}: ${errors.slice(-300)}`));
      resolve({seconds: Number(process.hrtime.bigint() - start) / 1e9, peak});
    });
  });
}

async function median(times, command, args) {
  const runs = [];
  for (let i = 0; i < times; i++) runs.push(await measure(command, args));
  const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  return {seconds: middle(runs.map((r) => r.seconds)), peak: Math.max(...runs.map((r) => r.peak))};
}

const mb = (bytes) => (bytes / 1e6).toFixed(0) + ' MB';
let missed = 0;
function bar(what, value, ok) {
  console.log(`${ok ? 'ok    ' : 'MISSED'} ${what}: ${value}`);
  if (!ok) missed++;
}

const out = path.join(work, 'out.heapsnapshot');
const scrub = (file, times, name = out, flags = []) => median(times, heapscrub, ['scrub', file, '-o', name, '--force', '-q', ...flags]);
const small = snapshot('small.heapsnapshot', 950);
const bytes = fs.statSync(small).size;
const ours = await scrub(small, 5);
const theirs = await median(3, process.env.NODE20, ['--max-old-space-size=8000', memlab, 'anonymize', '--snapshot', small, '--output', path.join(work, 'memlab.heapsnapshot')]);
const packed = await scrub(small, 5, out + '.zst');
console.log(`${os.cpus().length} processors, ${os.cpus()[0].model.trim()}; file of ${mb(bytes)}; medians of 5 and 3 runs`);
console.log(`heapscrub scrub          ${ours.seconds.toFixed(2)} s, ${mb(ours.peak)} anonymous`);
console.log(`heapscrub scrub to .zst  ${packed.seconds.toFixed(2)} s, ${mb(packed.peak)} anonymous`);
console.log(`memlab anonymize         ${theirs.seconds.toFixed(2)} s, ${mb(theirs.peak)} anonymous`);
bar('times faster than memlab anonymize (bar 8)', (theirs.seconds / ours.seconds).toFixed(1), theirs.seconds >= 8 * ours.seconds);
bar('anonymous memory, times the file (bar 1)', (ours.peak / bytes).toFixed(2), ours.peak <= bytes);
bar('anonymous memory to .zst, times the file (bar 1)', (packed.peak / bytes).toFixed(2), packed.peak <= bytes);
const large = snapshot('large.heapsnapshot', 10_000);
const factor = fs.statSync(large).size / bytes;
const big = await scrub(large, 3);
console.log(`file of ${mb(fs.statSync(large).size)} (${factor.toFixed(1)}x): ${big.seconds.toFixed(2)} s, ${mb(big.peak)} anonymous`);
bar('time, times that of the small file (bar 1.2 x size)', (big.seconds / ours.seconds).toFixed(1), big.seconds <= ours.seconds * factor * 1.2);
bar('memory, times that of the small file (bar 1 x size)', (big.peak / ours.peak).toFixed(1), big.peak <= ours.peak * factor);

// 100,000 values to look for, of which none is there: what the search alone costs.
const values = path.join(work, 'values.txt');
const word = (n) => Array.from({length: 8}, (_, i) => String.fromCharCode(97 + ((n * (i * 7 + 3) + (n >> i)) % 26))).join('');
fs.writeFileSync(values, Array.from({length: 100_000}, (_, n) => `${word(n)}.${n.toString(36)}@customer${n % 977}.example`).join('\n'));
const middle = snapshot('middle.heapsnapshot', 6_000);
for (const profile of ['strict', 'balanced']) {
  const plain = await scrub(middle, 3, out, ['--profile', profile]);
  const listed = await scrub(middle, 3, out, ['--profile', profile, '--values-file', values]);
  const more = listed.seconds / plain.seconds - 1;
  console.log(`file of ${mb(fs.statSync(middle).size)}, ${profile}: ${plain.seconds.toFixed(2)} s, ${mb(plain.peak)} anonymous; with 100,000 values ${listed.seconds.toFixed(2)} s, ${mb(listed.peak)}`);
  bar(`100,000 values cost, percent of the time, ${profile} (bar 30)`, (more * 100).toFixed(0), more < 0.3);
}

// Everything that `share` does (scrub, verify, count what was there, report, bundle, check the bundle) beside what DevTools
// needs to load the same file.
const bundle = await median(3, heapscrub, ['share', middle, '-o', path.join(work, 'b.zip'), '--force', '-q']);
const devtools = await measure(process.env.NODE20, ['--max-old-space-size=8000', path.join(project, 'tests/live/devtools/summary.mjs'), middle]);
const middleBytes = fs.statSync(middle).size;
console.log(`file of ${mb(middleBytes)}: heapscrub share ${bundle.seconds.toFixed(2)} s, ${mb(bundle.peak)} anonymous; DevTools' worker loads it in ${devtools.seconds.toFixed(2)} s, ${mb(devtools.peak)}`);
bar('share: times faster than DevTools loads the file (bar 5)', (devtools.seconds / bundle.seconds).toFixed(1), devtools.seconds >= 5 * bundle.seconds);
bar('share: anonymous memory, times the file (bar 1.3)', (bundle.peak / middleBytes).toFixed(2), bundle.peak <= 1.3 * middleBytes);
process.exit(missed ? 1 : 0);
