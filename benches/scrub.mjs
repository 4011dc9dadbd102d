// Speed and memory of `heapscrub scrub` beside `memlab anonymize`, on the same files in the same session.
// usage: node benches/scrub.mjs      (after tests/install and cargo build --release; see benches/run)
//
// Peak memory is anonymous memory (RssAnon, polled every 2 ms): the mapped input belongs to the page cache.
// Exit status 1 when a bar is missed: 8x faster than memlab, memory at most 1x the file, 10x the file at most 12x time,
// 100,000 values to look for at most 30 % more time.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {bar, end, heapscrub, mb, measure, median, project, snapshot, work} from './measure.mjs';

const memlab = path.join(process.env.NPM_DIR, 'node_modules/.bin/memlab');
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
end();
