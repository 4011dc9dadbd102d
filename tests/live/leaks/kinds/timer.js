// A time limit for each request that is never taken back. Mended: it is.
'use strict';
const {text} = require('../made.js');

class DeadlineContext {
  constructor(i) { this.number = i; this.request = text(340); }
}

exports.leak = {classes: ['DeadlineContext'], owners: ['timer'], path: ['giveUp', 'Timeout']};
exports.handle = function limit(i, mended) {
  const context = new DeadlineContext(i);
  const timer = setTimeout(function giveUp() { return context.request; }, 1e8);
  timer.unref();
  if (mended) clearTimeout(timer);
};
