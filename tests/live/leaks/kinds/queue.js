// A queue that gets two jobs for each one it does. Mended: it does all of them.
'use strict';
const {text} = require('../made.js');

class ScanJob {
  constructor(i) { this.number = i; this.input = text(410); }
}
class JobQueue {
  constructor() { this.pending = []; this.done = 0; }
  submit(job) { this.pending.push(job); }
  work() { if (this.pending.shift()) this.done++; }
}
const scanQueue = new JobQueue();

exports.leak = {classes: ['ScanJob'], owners: ['queue'], path: ['scanQueue', 'pending']};
exports.handle = function scan(i, mended) {
  scanQueue.submit(new ScanJob(i));
  scanQueue.submit(new ScanJob(i));
  scanQueue.work();
  if (mended) scanQueue.work();
};
