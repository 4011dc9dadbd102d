// Writes a snapshot of the sample app with Node.
// usage: node node.cjs OUT.heapsnapshot [--numeric]
'use strict';
require('./app.cjs');
const v8 = require('v8');
const out = process.argv[2];
v8.writeHeapSnapshot(out, process.argv[3] === '--numeric' ? {exposeNumericValues: true, exposeInternals: true} : undefined);
process.exit(0);
