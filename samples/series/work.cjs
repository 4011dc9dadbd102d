// A small service under steady load, for series of memory over time.
//
// usage: node work.cjs MODE SECONDS OUT [full]
//   MODE: leak (keeps every answer), cache (keeps the last 4,000), warm (loads a table at the start), flat (keeps none),
//         native (keeps buffers outside of the heap)
//   OUT: one line of JSON for each sample of process.memoryUsage()
//   full: collect garbage before each sample (needs --expose-gc)
const fs = require('node:fs');

const [mode, seconds, out, full] = process.argv.slice(2);
const kept = [];
const cache = new Map();
const table = new Map();
let seed = 7;
const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
let requests = 0;

function answer(number) {
  const body = { number, text: `answer ${number} `.repeat(4 + Math.floor(random() * 8)), scores: Array.from({ length: 40 }, random) };
  if (mode === 'leak') kept.push(body);
  if (mode === 'cache') cache.set(number % 4000, body);
  if (mode === 'native') kept.push(Buffer.alloc(1024, number & 255));
  return body.scores.length;
}

if (mode === 'warm') for (let n = 0; n < 40000; n++) table.set(n, { n, text: `row ${n}` });
const file = fs.openSync(out, 'w');
setInterval(() => { for (let n = 0; n < 8; n++) answer(requests++); }, 10);
setInterval(() => {
  if (full) global.gc();
  const line = { time: new Date().toISOString(), pid: process.pid, ...process.memoryUsage(), requests };
  fs.writeSync(file, `${JSON.stringify(line)}\n`);
}, Number(seconds) * 1000 / 240);
setTimeout(() => process.exit(0), Number(seconds) * 1000);
