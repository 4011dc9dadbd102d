// One signal for the whole process, with a listener for each call. Mended: removed when the call is done.
'use strict';
const {text} = require('../made.js');

class UpstreamCall {
  constructor(i) { this.number = i; this.prompt = text(370); }
}
// Node 14 has abort signals behind a flag only.
exports.available = typeof AbortController === 'function';
const shutdown = exports.available ? new AbortController() : null;
if (shutdown) require('events').setMaxListeners && require('events').setMaxListeners(0, shutdown.signal);

exports.leak = {classes: ['UpstreamCall'], owners: ['abort-signal'], path: ['shutdown', 'cancelCall']};
exports.handle = function call(i, mended) {
  const upstream = new UpstreamCall(i);
  function cancelCall() { return upstream.prompt; }
  shutdown.signal.addEventListener('abort', cancelCall, {once: true});
  if (mended) shutdown.signal.removeEventListener('abort', cancelCall);
};
