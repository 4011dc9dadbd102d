// Snapshots of a Deno program: deno run -A --v8-flags=--expose-gc deno.mjs OUTDIR ./work.mjs [ROUNDS]
// work.mjs exports an async function `round()` that does one round of steady work.
import v8 from 'node:v8';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [place, file, rounds = 3] = Deno.args;
Deno.umask(0o077);
const { round } = await import(pathToFileURL(path.resolve(file)).href);
await round();
for (let n = 1; n <= Number(rounds); n++) {
  await round();
  await new Promise((resolve) => setTimeout(resolve, 300));
  globalThis.gc();
  v8.writeHeapSnapshot(path.join(place, `heap-${n}.heapsnapshot`));
}
Deno.exit(0);
