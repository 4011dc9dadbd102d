'use strict';
// Snapshots of a running Node.js service, when you ask for them.
//
//   node --expose-gc --require ./node.cjs server.js     then, under load:  kill -USR2 PID
//
// Each signal collects garbage and writes heap-1.heapsnapshot, heap-2.heapsnapshot … to SNAPSHOT_DIR (default: where the service runs),
// readable by you alone. memory.jsonl there gets a line every SNAPSHOT_EVERY milliseconds (default 1000), for heapscrub trend.
// The process stands still while a snapshot is written, and needs about twice the memory of its heap.
const fs = require('fs');
const path = require('path');
const v8 = require('v8');

const place = path.resolve(process.env.SNAPSHOT_DIR || '.');
let number = 0;

process.on('SIGUSR2', () => {
  number += 1;
  const file = path.join(place, `heap-${number}.heapsnapshot`);
  process.umask(0o077);
  // Twice: what finalisers let go in the first time is gone after the second.
  if (globalThis.gc) { globalThis.gc(); globalThis.gc(); }
  v8.writeHeapSnapshot(file + '.partial');
  fs.renameSync(file + '.partial', file);
  process.stderr.write(`heap snapshot ${number} is written\n`);
});

setInterval(() => {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const line = JSON.stringify({ time: new Date().toISOString(), pid: process.pid, rss, heapTotal, heapUsed, external, arrayBuffers });
  fs.appendFileSync(path.join(place, 'memory.jsonl'), line + '\n', { mode: 0o600 });
}, Number(process.env.SNAPSHOT_EVERY || 1000)).unref();
