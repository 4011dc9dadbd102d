// Snapshots of a Bun program, in the form of V8: bun bun.mjs OUTDIR ./work.mjs [ROUNDS]
// work.mjs exports an async function `round()` that does one round of steady work.
import path from 'node:path';
import { writeFileSync } from 'node:fs';
import { generateHeapSnapshot } from 'bun';

const [place, file, rounds = 3] = process.argv.slice(2);
const { round } = await import(path.resolve(file));
await round();
for (let n = 1; n <= Number(rounds); n++) {
  await round();
  await new Promise((resolve) => setTimeout(resolve, 300));
  Bun.gc(true);
  writeFileSync(path.join(place, `heap-${n}.heapsnapshot`), generateHeapSnapshot('v8'), { mode: 0o600 });
}
process.exit(0);
