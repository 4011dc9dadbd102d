// Bare Node process for the vocabulary: loads every builtin module, touches lazy parts, writes snapshots.
// usage: node node.cjs OUT_PREFIX VALUES_JS
// Own identifiers start with `hsOwn`, so that the collector can drop them.
'use strict';
const hsOwnPrefix = process.argv[2];
require(process.argv[3]);
const hsOwnTry = (hsOwnAction) => { try { return hsOwnAction(); } catch { return undefined; } };
// From here on a failure of a single touch does not matter; make.mjs checks that every snapshot is there.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
process.removeAllListeners('warning');

// Reads every own property two levels deep, so that lazy getters are replaced by their values.
const hsOwnWalk = (hsOwnObject, hsOwnDepth) => {
  if (hsOwnObject === null || (typeof hsOwnObject !== 'object' && typeof hsOwnObject !== 'function')) return;
  for (const hsOwnKey of hsOwnTry(() => Object.getOwnPropertyNames(hsOwnObject)) ?? []) {
    const hsOwnValue = hsOwnTry(() => hsOwnObject[hsOwnKey]);
    if (hsOwnDepth > 0) hsOwnWalk(hsOwnValue, hsOwnDepth - 1);
  }
};
for (const hsOwnName of require('module').builtinModules) {
  if (hsOwnName === 'inspector/promises' || hsOwnName.startsWith('_')) continue;
  hsOwnWalk(hsOwnTry(() => require(hsOwnName)), 1);
  if (!hsOwnName.includes(':')) import('node:' + hsOwnName).catch(() => {});
}
for (const hsOwnName of ['node:sqlite', 'node:test', 'node:test/reporters', 'node:sea']) hsOwnTry(() => require(hsOwnName));
hsOwnWalk(globalThis, 1);

const hsOwnHeld = [];
const hsOwnKeep = (hsOwnAction) => { const hsOwnValue = hsOwnTry(hsOwnAction); if (hsOwnValue !== undefined) hsOwnHeld.push(hsOwnValue); return hsOwnValue; };
const hsOwnBuiltin = (hsOwnName) => hsOwnTry(() => require(hsOwnName)) ?? {};
hsOwnKeep(() => new URL('http://localhost/?a=b#c').searchParams);
hsOwnKeep(() => new Headers([['accept', '*/*']]));
hsOwnKeep(() => new Request('http://localhost/'));
hsOwnKeep(() => new Response('x'));
hsOwnKeep(() => new FormData());
hsOwnKeep(() => new Blob(['x']).stream());
hsOwnKeep(() => new AbortController().signal);
hsOwnKeep(() => new MessageChannel());
hsOwnKeep(() => new BroadcastChannel('x'));
hsOwnKeep(() => new WebSocket('ws://localhost:9'));
hsOwnKeep(() => new ReadableStream().pipeThrough(new TransformStream()));
hsOwnKeep(() => new WritableStream().getWriter());
hsOwnKeep(() => new TextDecoderStream());
hsOwnKeep(() => new CompressionStream('gzip'));
hsOwnKeep(() => new EventTarget().addEventListener('x', () => {}));
hsOwnKeep(() => new Intl.DateTimeFormat('en').resolvedOptions());
hsOwnKeep(() => performance.mark('x'));
hsOwnKeep(() => structuredClone(new Map([[1, new Error('x')]])));
hsOwnKeep(() => fetch('http://127.0.0.1:9/').catch(() => {}));
hsOwnKeep(() => crypto.subtle.digest('SHA-256', new Uint8Array(1)).catch(() => {}));
hsOwnKeep(() => hsOwnBuiltin('crypto').createHash('sha256').update('x').digest());
hsOwnKeep(() => hsOwnBuiltin('crypto').createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)));
hsOwnKeep(() => hsOwnBuiltin('crypto').generateKeyPairSync('ed25519'));
hsOwnKeep(() => hsOwnBuiltin('zlib').createGzip());
hsOwnKeep(() => hsOwnBuiltin('stream').pipeline(hsOwnBuiltin('stream').Readable.from(['x']), new (hsOwnBuiltin('stream').PassThrough)(), () => {}));
hsOwnKeep(() => hsOwnBuiltin('fs').createReadStream(process.execPath, {end: 9}).on('data', () => {}));
hsOwnKeep(() => hsOwnBuiltin('fs').promises.readdir('/').catch(() => {}));
hsOwnKeep(() => hsOwnBuiltin('child_process').spawn(process.execPath, ['-v']));
hsOwnKeep(() => hsOwnBuiltin('dgram').createSocket('udp4'));
hsOwnKeep(() => new (hsOwnBuiltin('dns').Resolver)());
hsOwnKeep(() => new (hsOwnBuiltin('async_hooks').AsyncLocalStorage)().run({}, () => {}));
hsOwnKeep(() => hsOwnBuiltin('async_hooks').createHook({init() {}}).enable());
hsOwnKeep(() => hsOwnBuiltin('vm').createContext({}));
hsOwnKeep(() => new (hsOwnBuiltin('vm').Script)('1'));
hsOwnKeep(() => hsOwnBuiltin('readline').createInterface({input: new (hsOwnBuiltin('stream').PassThrough)()}));
hsOwnKeep(() => hsOwnBuiltin('util').inspect(new Map([[{}, new Set([1])]]), {depth: 9}));
hsOwnKeep(() => hsOwnBuiltin('http2').createServer());
hsOwnKeep(() => hsOwnBuiltin('tls').createServer());
hsOwnKeep(() => new (hsOwnBuiltin('perf_hooks').PerformanceObserver)(() => {}).observe({entryTypes: ['function']}));
hsOwnKeep(() => hsOwnBuiltin('perf_hooks').monitorEventLoopDelay());
hsOwnKeep(() => new (hsOwnBuiltin('node:sqlite').DatabaseSync)(':memory:'));
hsOwnKeep(() => setInterval(() => {}, 1000));
hsOwnKeep(() => hsOwnBuiltin('timers').promises.setTimeout(1000));
// A served request and a worker, so that live sockets, parsers and ports are in the heap.
const hsOwnServer = hsOwnKeep(() => hsOwnBuiltin('http').createServer((hsOwnRequest, hsOwnAnswer) => { hsOwnHeld.push(hsOwnRequest, hsOwnAnswer); hsOwnAnswer.write('x'); }));
hsOwnServer.listen(0, '127.0.0.1', () => {
  hsOwnKeep(() => hsOwnBuiltin('http').get({port: hsOwnServer.address().port, agent: new (hsOwnBuiltin('http').Agent)({keepAlive: true})}, (hsOwnAnswer) => hsOwnAnswer.on('data', () => {})));
  hsOwnKeep(() => fetch('http://127.0.0.1:' + hsOwnServer.address().port + '/').catch(() => {}));
});
const hsOwnWorker = hsOwnKeep(() => new (hsOwnBuiltin('worker_threads').Worker)('setInterval(() => {}, 1000)', {eval: true}));

setTimeout(() => {
  const hsOwnV8 = require('v8');
  hsOwnV8.writeHeapSnapshot(hsOwnPrefix + '.heapsnapshot');
  hsOwnV8.writeHeapSnapshot(hsOwnPrefix + '.numeric.heapsnapshot', {exposeNumericValues: true, exposeInternals: true});
  hsOwnWorker.getHeapSnapshot().then((hsOwnStream) => {
    hsOwnStream.pipe(require('fs').createWriteStream(hsOwnPrefix + '.worker.heapsnapshot')).on('finish', () => process.exit(0));
  });
}, 1500);
