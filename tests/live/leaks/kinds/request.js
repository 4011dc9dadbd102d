// Requests to a server, kept for a trace. Mended: the trace copies what it needs, and has a limit.
'use strict';
const http = require('http');
const {text} = require('../made.js');

class RequestTrace {
  constructor(request, response) { this.request = request; this.response = response; this.started = 0.5; this.label = text(300); }
}
const keptTraces = [];
let server, agent, leaking = true;

exports.every = 4;
exports.leak = {classes: ['RequestTrace'], owners: ['request'], path: ['keptTraces']};
exports.open = () => new Promise((ready) => {
  agent = new http.Agent({keepAlive: true, maxSockets: 1});
  server = http.createServer((request, response) => {
    if (leaking) keptTraces.push(new RequestTrace(request, response));
    else keptTraces[keptTraces.length % 20] = request.method;
    response.end('ok');
  });
  server.keepAliveTimeout = 600000;
  server.listen(0, '127.0.0.1', ready);
});
exports.handle = function visit(i, mended) {
  leaking = !mended;
  return new Promise((done, failed) => {
    const request = http.get({port: server.address().port, host: '127.0.0.1', path: '/orders', agent}, (response) => {
      response.resume();
      response.on('end', () => setImmediate(done));
    });
    request.on('error', failed);
  });
};
