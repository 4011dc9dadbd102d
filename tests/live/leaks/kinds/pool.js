// Connections taken from a pool without a limit and not given back. Mended: given back.
'use strict';
const {text} = require('../made.js');

class PooledConnection {
  constructor(i) { this.number = i; this.buffer = text(510); this.connected = true; }
}
class ConnectionPool {
  constructor() { this.all = []; this.idle = []; this.waiting = []; this.options = {max: Infinity, idleTimeout: 30000}; }
  acquire(i) {
    const free = this.idle.pop();
    if (free) return free;
    const fresh = new PooledConnection(i);
    this.all.push(fresh);
    return fresh;
  }
  release(connection) { this.idle.push(connection); }
}
const databasePool = new ConnectionPool();

exports.leak = {classes: ['PooledConnection'], owners: ['pool'], path: ['databasePool']};
exports.handle = function query(i, mended) {
  const connection = databasePool.acquire(i);
  if (mended) databasePool.release(connection);
};
