// Async functions that wait for something that never comes. Mended: they wait for something that does.
'use strict';
const {text} = require('../made.js');

class ServedContext {
  constructor(i) { this.number = i; this.document = text(460); }
}
const licenceGranted = new Promise(() => {});

exports.leak = {classes: ['ServedContext'], owners: ['suspended-function'], path: ['licenceGranted']};
async function serve(i, mended) {
  const context = new ServedContext(i);
  await (mended ? null : licenceGranted);
  return context.document;
}
exports.handle = function start(i, mended) { serve(i, mended); };
