// Second thread of DevTools' snapshot loader: retainers, dominators, retained sizes. Started by load.mjs.
import {workerData} from 'node:worker_threads';
import './promise.mjs';
const {SecondaryInitManager} = await import(workerData.bundle);
new SecondaryInitManager(workerData.port);
