// Writes a V8-form snapshot of the sample app with Bun.
// usage: bun run bun.mjs OUT.heapsnapshot
import {generateHeapSnapshot} from 'bun';
import {writeFileSync} from 'node:fs';
import './app.cjs';
writeFileSync(process.argv[2], generateHeapSnapshot('v8'));
process.exit(0);
