// Connections that nobody ends: the listening side keeps what it knows of each client. Mended: ended and gone.
'use strict';
const net = require('net');
const {text} = require('../made.js');

class ClientState {
  constructor(socket, i) { this.number = i; this.received = text(900); this.bytes = 0; socket.on('data', (chunk) => this.see(chunk)); }
  see(chunk) { this.bytes += chunk.length; }
}
let server, number = 0;

exports.every = 8;
exports.leak = {classes: ['ClientState'], owners: ['open-handle'], path: ['Socket']};
exports.open = () => new Promise((ready) => {
  server = net.createServer((socket) => { new ClientState(socket, number++); socket.on('end', () => socket.end()); });
  server.listen(0, '127.0.0.1', ready);
});
exports.handle = function connect(i, mended) {
  return new Promise((done, failed) => {
    const socket = net.connect(server.address().port, '127.0.0.1', () => socket.write('hello'));
    socket.on('error', failed);
    server.once('connection', (other) => other.once('data', () => {
      if (!mended) return done();
      other.once('close', done);
      socket.resume();
      socket.end();
    }));
  });
};
