// An interval for each job that is never cleared. Mended: cleared when the job is done.
'use strict';
const {text} = require('../made.js');

class PollJob {
  constructor(i) { this.number = i; this.payload = Buffer.alloc(1000, 1); this.note = text(120); }
}

exports.leak = {classes: ['PollJob'], owners: ['interval'], path: ['pollUpstream', 'Timeout']};
exports.handle = function start(i, mended) {
  const job = new PollJob(i);
  const timer = setInterval(function pollUpstream() { return job.note; }, 1e8);
  timer.unref();
  if (mended) clearInterval(timer);
};
