// Bare Deno process for the vocabulary: loads Node's modules and every global, writes a snapshot.
// usage: deno run -A deno.mjs OUT_PREFIX VALUES_JS
import hsOwnV8 from 'node:v8';
import {builtinModules as hsOwnModules} from 'node:module';
const hsOwnWalk = (hsOwnObject, hsOwnDepth) => {
  if (hsOwnObject === null || (typeof hsOwnObject !== 'object' && typeof hsOwnObject !== 'function')) return;
  for (const hsOwnKey of Object.getOwnPropertyNames(hsOwnObject)) {
    try {
      const hsOwnValue = hsOwnObject[hsOwnKey];
      if (hsOwnDepth > 0) hsOwnWalk(hsOwnValue, hsOwnDepth - 1);
    } catch { /* a getter that refuses its receiver is of no interest */ }
  }
};
for (const hsOwnName of hsOwnModules) try { hsOwnWalk(await import('node:' + hsOwnName), 1); } catch { /* not offered here */ }
hsOwnWalk(globalThis, 1);
await import(Deno.args[1]);
globalThis.hsOwnServer = Deno.serve({port: 0, hostname: '127.0.0.1', onListen() {}}, () => new Response('x'));
globalThis.hsOwnAnswer = await fetch('http://127.0.0.1:' + globalThis.hsOwnServer.addr.port + '/');
hsOwnV8.writeHeapSnapshot(Deno.args[0] + '.heapsnapshot');
Deno.exit(0);
