// A store that lives as long as the timers made while it was set, which use nothing of it. Mended: an id, no document.
'use strict';
const {AsyncLocalStorage} = require('async_hooks');
const {text} = require('../made.js');

class RequestStore {
  constructor(i) { this.number = i; this.document = text(480); }
}
const requestContext = new AsyncLocalStorage();
function tick() {}

// Node 14 gives the property of a timer that leads to the store no name.
const owners = /^v14\./.test(process.version) ? ['async-context', 'timer'] : ['async-context'];
exports.leak = {classes: ['RequestStore'], owners, path: ['Timeout']};
exports.handle = function enter(i, mended) {
  const store = new RequestStore(i);
  requestContext.run(mended ? store.number : store, () => {
    const timer = setTimeout(tick, 1e8);
    timer.unref();
    if (mended) clearTimeout(timer);
  });
};
