// A small service that tells its memory to Prometheus.
//
// usage: node --expose-gc metrics.cjs MODE PORT      MODE: leak (keeps every answer), flat (keeps none)
const http = require('node:http');

const [mode, port] = process.argv.slice(2);
const kept = [];
let requests = 0;
setInterval(() => {
  for (let n = 0; n < 20; n++) {
    requests++;
    const answer = { requests, text: `answer ${requests} `.repeat(10), scores: new Array(50).fill(requests) };
    if (mode === 'leak') kept.push(answer);
  }
  if (requests % 2000 === 0) global.gc();
}, 10);
http.createServer((_request, response) => {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  response.end(`process_resident_memory_bytes ${rss}
nodejs_heap_size_used_bytes ${heapUsed}
nodejs_heap_size_total_bytes ${heapTotal}
nodejs_external_memory_bytes ${external}
http_requests_total ${requests}
`);
}).listen(Number(port), '127.0.0.1');
