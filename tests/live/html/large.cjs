// One process that leaks, and three snapshots of it of about 100 MB each.
//
// usage: node --expose-gc [--max-old-space-size=4000] large.cjs PREFIX
'use strict';
const v8 = require('v8');
const { EventEmitter } = require('events');

class Order { constructor(n) { this.id = n; this.lines = [{ article: `article ${n}`, price: n % 977 }, { article: `spare ${n}`, price: n % 31 }]; } }
class Session { constructor(n) { this.number = n; this.orders = Array.from({ length: 6 }, (_, i) => new Order(n * 6 + i)); } }
class Watcher { constructor(bus, n) { this.n = n; this.seen = new Array(8).fill(n); bus.on('order', () => this.n); } }

const shop = { sessions: new Map(), recent: [], bus: new EventEmitter(), catalogue: [] };
globalThis.shop = shop;
shop.bus.setMaxListeners(0);
// Many classes, so that tables are long.
for (let i = 0; i < 1500; i += 1) {
  const Kind = eval(`(class Article${i} { constructor(n) { this.n = n; this.field${i % 50} = 'text ' + n; } })`);
  shop.catalogue.push(Array.from({ length: 60 }, (_, n) => new Kind(n * 1500 + i)));
}
let next = 0;
function work(sessions) {
  for (let i = 0; i < sessions; i += 1, next += 1) {
    shop.sessions.set(`session ${next}`, new Session(next));
    if (next % 20 === 0) shop.recent.push(new Watcher(shop.bus, next));
  }
}
work(38_000);
for (const round of [1, 2, 3]) {
  if (round > 1) work(2_000);
  global.gc();
  v8.writeHeapSnapshot(`${process.argv[2]}-${round}.heapsnapshot`);
}
