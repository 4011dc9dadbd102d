// Streams piped into one that takes nothing any more. Mended: they are destroyed.
'use strict';
const {Readable, Writable} = require('stream');
const {text} = require('../made.js');

class ExportStream extends Readable {
  constructor(i) { super(); this.number = i; this.body = text(600); }
  _read() { this.push(this.body); }
}
const auditSink = new Writable({write() {}, highWaterMark: 100});
auditSink.setMaxListeners(0);

exports.every = 4;
exports.leak = {classes: ['ExportStream'], owners: ['open-handle', 'event-listener'], path: ['auditSink']};
exports.handle = async function exportAll(i, mended) {
  const stream = new ExportStream(i);
  stream.pipe(auditSink);
  await new Promise(setImmediate);
  if (mended) {
    stream.unpipe(auditSink);
    stream.destroy();
  }
};
