// Speed and memory of `heapscrub report` beside DevTools' own worker, on the same files in the same session.
// usage: node benches/report.mjs [--no-gigabyte]      (after tests/install and cargo build --release; see benches/run)
//
// `heapscrub report` reads, scrubs, verifies and analyses; DevTools loads, and computes its class table; of a pair both
// also compare. Peak memory as in measure.mjs.
// Exit status 1 when a bar is missed: 5x faster than DevTools at 300 MB, memory at most 1.3x the file, 1 GB completes.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {bar, end, heapscrub, mb, measure, median, project, snapshot, work} from './measure.mjs';

const json = path.join(work, 'report.json');
const report = (times, ...files) => median(times, heapscrub, ['report', ...files, '--format', 'json', '-o', json, '--force', '-q']);
const devtools = (times, ...files) => median(times, process.env.NODE20, ['--max-old-space-size=14000', path.join(project, 'benches/devtools.mjs'), ...files]);
const show = (what, {seconds, peak}) => console.log(`  ${what.padEnd(18)} ${seconds.toFixed(2)} s, ${mb(peak)} anonymous`);

console.log(`${os.cpus().length} processors, ${os.cpus()[0].model.trim()}`);
const sizes = [];
for (const [name, sessions, more, times] of [['small', 950, 95, 5], ['large', 6000, 600, 3]]) {
  const file = snapshot(name, sessions, more), then = file + '.then';
  const bytes = fs.statSync(file).size;
  console.log(`file of ${mb(bytes)}; medians of ${times} and ${Math.min(times, 3)} runs`);
  const [ours, theirs] = [await report(times, file), await devtools(Math.min(times, 3), file)];
  show('heapscrub report', ours);
  show("DevTools' worker", theirs);
  sizes.push({name, bytes, ours, theirs, what: `${mb(bytes)}`});
  const both = bytes + fs.statSync(then).size;
  console.log(`pair of ${mb(both)}`);
  const [ourPair, theirPair] = [await report(Math.min(times, 3), file, then), await devtools(1, file, then)];
  show('heapscrub report', ourPair);
  show("DevTools' worker", theirPair);
  sizes.push({name, bytes: both, ours: ourPair, theirs: theirPair, what: `pair of ${mb(both)}`});
  fs.rmSync(file);
  fs.rmSync(then);
}
for (const {name, bytes, ours, theirs, what} of sizes) {
  const [faster, times] = [theirs.seconds / ours.seconds, ours.peak / bytes];
  const isBar = name === 'large';
  if (isBar) bar(`${what}: times faster than DevTools (bar 5)`, faster.toFixed(1), faster >= 5);
  else console.log(`       ${what}: times faster than DevTools: ${faster.toFixed(1)}`);
  if (isBar) bar(`${what}: anonymous memory, times the input (bar 1.3)`, times.toFixed(2), times <= 1.3);
  else console.log(`       ${what}: anonymous memory, times the input: ${times.toFixed(2)}`);
}
if (!process.argv.includes('--no-gigabyte')) {
  const file = snapshot('huge', 20_400);
  const bytes = fs.statSync(file).size;
  const ours = await measure(heapscrub, ['report', file, '--format', 'json', '-o', json, '--force', '-q']);
  console.log(`file of ${mb(bytes)}: heapscrub report ${ours.seconds.toFixed(2)} s, ${mb(ours.peak)} anonymous`);
  const classes = JSON.parse(fs.readFileSync(json, 'utf8')).classes;
  bar('1 GB completes, with the class that fills it', `${classes.length} classes`, bytes > 1e9 && classes.some((row) => row.class === 'AgentSession' && row.count === 20_400));
  bar('1 GB: anonymous memory, times the file (bar 1.3)', (ours.peak / bytes).toFixed(2), ours.peak <= 1.3 * bytes);
}
end();
