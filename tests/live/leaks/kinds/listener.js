// Listeners of a bus that lives for ever. Mended: removed at the end of the request.
'use strict';
const {EventEmitter} = require('events');
const {text} = require('../made.js');

class ListenerContext {
  constructor(i) { this.number = i; this.transcript = text(400); }
}
const sharedBus = new EventEmitter();
sharedBus.setMaxListeners(0);

exports.leak = {classes: ['ListenerContext'], owners: ['event-listener'], path: ['sharedBus', 'refreshSession']};
exports.handle = function watch(i, mended) {
  const context = new ListenerContext(i);
  function refreshSession() { return context.transcript; }
  sharedBus.on('configChanged', refreshSession);
  if (mended) sharedBus.removeListener('configChanged', refreshSession);
};
