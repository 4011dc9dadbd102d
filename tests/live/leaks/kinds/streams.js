// Streams whose source is silent, piped into one that lives for ever. Mended: they are unpiped and destroyed.
'use strict';
const {Readable, Writable} = require('stream');
const {text} = require('../made.js');

class ExportStream extends Readable {
  constructor(i) { super(); this.number = i; this.query = text(600); }
  _read() {}
}
const auditSink = new Writable({write(chunk, encoding, done) { done(); }});
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
