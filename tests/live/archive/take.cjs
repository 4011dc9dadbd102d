// Takes real snapshots of one small program that holds more and more; planted values are in all of them.
// usage: node take.cjs DIR COUNT
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const [dir, count] = [process.argv[2], Number(process.argv[3])];
fs.mkdirSync(dir, { recursive: true });
class Ticket { constructor(n) { this.customer = 'CANARY-7f3a customer ' + n; this.body = 'CANARY-7f3a text ' + n; } }
const held = [];
global.heldTickets = held;
for (let n = 1; n <= count; n++) {
  for (let i = 0; i < 400; i++) held.push(new Ticket(n * 1000 + i));
  v8.writeHeapSnapshot(path.join(dir, String(n).padStart(4, '0') + '.heapsnapshot'));
}
