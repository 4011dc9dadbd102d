// A chain of promises whose first link never settles. Mended: each link settles.
'use strict';
const {text} = require('../made.js');

class ChainedWrite {
  constructor(i) { this.number = i; this.record = text(430); }
}
let lastWrite = Promise.resolve();
const stuck = new Promise(() => {});
let isStuck = false;

exports.leak = {classes: ['ChainedWrite'], owners: ['promise-chain'], path: ['appendRecord']};
exports.handle = function write(i, mended) {
  const entry = new ChainedWrite(i);
  if (!mended && !isStuck) {
    isStuck = true;
    lastWrite = stuck;
  }
  lastWrite = lastWrite.then(function appendRecord() { return entry.record.length; });
};
