// Connections that nobody ends: the listening side keeps what it knows of each client. Mended: ended and gone.
// The clients live in a process of their own, which ends with this one.
'use strict';
const {fork} = require('child_process');
const net = require('net');

if (process.argv[2] === '--clients') {
  process.on('disconnect', () => process.exit(0));
  process.on('message', ({port, mended}) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write('hello'));
    if (mended) socket.on('data', () => socket.end());
  });
} else {
  const {text} = require('../made.js');

  class ClientState {
    constructor(socket, i) { this.number = i; this.received = text(900); this.bytes = 0; socket.on('data', (chunk) => this.see(chunk)); }
    see(chunk) { this.bytes += chunk.length; }
  }
  let server, clients, number = 0;

  exports.every = 8;
  exports.leak = {classes: ['ClientState'], owners: ['open-handle'], path: ['Socket']};
  exports.open = () => new Promise((ready) => {
    clients = fork(__filename, ['--clients'], {execArgv: []});
    server = net.createServer((socket) => { new ClientState(socket, number++); });
    server.listen(0, '127.0.0.1', ready);
  });
  exports.handle = function connect(i, mended) {
    return new Promise((done) => {
      server.once('connection', (socket) => socket.once('data', () => {
        if (!mended) return done();
        socket.once('close', done);
        socket.write('bye');
      }));
      clients.send({port: server.address().port, mended});
    });
  };
}
