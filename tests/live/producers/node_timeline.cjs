// Writes an allocation timeline of the sample app with Node, through the inspector.
// usage: node node_timeline.cjs OUT.heaptimeline
// The session lives in a worker: in the observed thread the chunk handler would itself allocate while the
// file is written, and the header's trace_function_count would be too small for DevTools.
'use strict';
const fs = require('fs');
const inspector = require('inspector');
const {Worker, isMainThread, workerData, parentPort} = require('worker_threads');

function observe(out) {
  const file = fs.openSync(out, 'w');
  const session = new inspector.Session();
  session.connectToMainThread();
  const post = (method, params) => new Promise((resolve, reject) => session.post(method, params, (error, result) => (error ? reject(error) : resolve(result))));
  session.on('HeapProfiler.addHeapSnapshotChunk', (message) => fs.writeSync(file, message.params.chunk));
  parentPort.on('message', async () => {
    await post('HeapProfiler.stopTrackingHeapObjects', {reportProgress: false});
    session.disconnect();
    fs.closeSync(file);
    parentPort.postMessage('written');
  });
  post('HeapProfiler.enable')
    .then(() => post('HeapProfiler.startTrackingHeapObjects', {trackAllocations: true}))
    .then(() => parentPort.postMessage('started'));
}

async function allocate() {
  require('./app.cjs');
  globalThis.samples = [];
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 500; i++) globalThis.samples.push({role: 'assistant', content: ['SAMPLE', 'timeline', round, i].join('-')});
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

if (isMainThread) {
  const worker = new Worker(__filename, {workerData: process.argv[2]});
  worker.on('error', (error) => { throw error; });
  worker.on('message', (message) => {
    if (message === 'written') process.exit(0);
    allocate().then(() => worker.postMessage('stop'));
  });
} else {
  observe(workerData);
}
