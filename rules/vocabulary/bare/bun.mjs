// Bare Bun process for the vocabulary: loads Node's modules and every global, writes a V8-form snapshot.
// usage: bun run bun.mjs OUT_PREFIX VALUES_JS
import {generateHeapSnapshot as hsOwnSnapshot} from 'bun';
import {writeFileSync as hsOwnWrite} from 'node:fs';
import {builtinModules as hsOwnModules} from 'node:module';
const hsOwnWalk = (hsOwnObject, hsOwnDepth) => {
  if (hsOwnObject === null || (typeof hsOwnObject !== 'object' && typeof hsOwnObject !== 'function')) return;
  for (const hsOwnKey of Object.getOwnPropertyNames(hsOwnObject)) {
    if (hsOwnKey === 'env' || hsOwnKey === 'main') continue;
    try {
      const hsOwnValue = hsOwnObject[hsOwnKey];
      if (hsOwnDepth > 0) hsOwnWalk(hsOwnValue, hsOwnDepth - 1);
    } catch { /* a getter that refuses its receiver is of no interest */ }
  }
};
for (const hsOwnName of hsOwnModules) try { hsOwnWalk(await import(hsOwnName), 1); } catch { /* not offered here */ }
hsOwnWalk(globalThis, 1);
await import(process.argv[3]);
globalThis.hsOwnServer = Bun.serve({port: 0, hostname: '127.0.0.1', fetch: () => new Response('x')});
globalThis.hsOwnAnswer = await fetch('http://127.0.0.1:' + globalThis.hsOwnServer.port + '/');
hsOwnWrite(process.argv[2] + '.heapsnapshot', hsOwnSnapshot('v8'));
process.exit(0);
