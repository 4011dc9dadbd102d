// Writes a snapshot of the sample app with Deno.
// usage: deno run -A deno.mjs OUT.heapsnapshot
import v8 from 'node:v8';
import './app.cjs';
v8.writeHeapSnapshot(Deno.args[0]);
Deno.exit(0);
