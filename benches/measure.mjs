// What the benches share: files to measure on, seconds and peak memory of a command, bars.
//
// Peak memory is anonymous memory (RssAnon, polled every 2 ms): the mapped input belongs to the page cache.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {spawn, spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';

export const project = fileURLToPath(new URL('..', import.meta.url));
export const heapscrub = process.env.HEAPSCRUB ?? path.join(project, 'target/release/heapscrub');
export const work = fs.mkdtempSync(path.join(os.tmpdir(), 'heapscrub-bench-'));
process.on('exit', () => fs.rmSync(work, {recursive: true, force: true}));

// A snapshot of the agent program with so many sessions; with `more`, a second one of the same process with so many on top.
export function snapshot(name, sessions, more = 0) {
  const file = path.join(work, name);
  const flags = ['--expose-gc', '--max-old-space-size=14000', path.join(project, 'tests/live/producers/agent_app.js')];
  const then = more ? ['--more', String(more), '--then', file + '.then'] : [];
  const made = spawnSync(process.env.NODE20, [...flags, '--sessions', String(sessions), '--out', file, ...then], {stdio: ['ignore', 'ignore', 'inherit']});
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
export function measure(command, args) {
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

export async function median(times, command, args) {
  const runs = [];
  for (let i = 0; i < times; i++) runs.push(await measure(command, args));
  const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  return {seconds: middle(runs.map((r) => r.seconds)), peak: Math.max(...runs.map((r) => r.peak))};
}

export const mb = (bytes) => (bytes / 1e6).toFixed(0) + ' MB';

let missed = 0;
export function bar(what, value, ok) {
  console.log(`${ok ? 'ok    ' : 'MISSED'} ${what}: ${value}`);
  if (!ok) missed++;
}

// Exit status 1 when a bar was missed.
export function end() {
  process.exit(missed ? 1 : 0);
}
