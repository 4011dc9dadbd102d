// Loads popular packages, exercises them without a network and writes a heap snapshot.
// usage: [NPM_DIR=DIR] node app.js --out FILE   (packages below NPM_DIR/node_modules, else beside this file)
'use strict';
const path = require('path');
const v8 = require('v8');
const {createRequire} = require('module');

const load = createRequire(path.resolve(process.env.NPM_DIR || __dirname, 'package.json'));
const Ajv = load('ajv'), axios = load('axios'), chalk = load('chalk'), {Command} = load('commander'), dayjs = load('dayjs'), express = load('express');
const Redis = load('ioredis'), lodash = load('lodash'), pg = load('pg'), uuid = load('uuid'), winston = load('winston'), ws = load('ws'), yargs = load('yargs'), {z: zod} = load('zod');

const out = process.argv[process.argv.indexOf('--out') + 1];
if (!process.argv.includes('--out') || !out) { console.error('usage: node app.js --out FILE'); process.exit(2); }

const kept = globalThis.packagesApp = {};
class OrderService {
  constructor(logger) { this.logger = logger; this.openOrders = []; }
  place(orderLabel, lineItems) {
    const order = {orderId: uuid.v4(), orderLabel, lineItems, placedAt: dayjs('2024-01-02').toISOString()};
    this.openOrders.push(order);
    this.logger.info('order placed', {orderId: order.orderId});
    return order;
  }
}

async function main() {
  kept.logger = winston.createLogger({level: 'info', silent: true, defaultMeta: {serviceName: 'orders'}, transports: [new winston.transports.Console()]});
  kept.orders = new OrderService(kept.logger);
  for (let i = 0; i < 30; i++) kept.orders.place(`label ${i}`, lodash.times(3, n => ({articleNumber: `a${n}`, unitPrice: n + 0.5})));
  kept.grouped = lodash.groupBy(kept.orders.openOrders, 'placedAt');

  kept.orderSchema = zod.object({orderId: zod.string().uuid(), orderLabel: zod.string()});
  kept.parsed = kept.orders.openOrders.map(o => kept.orderSchema.parse(o));
  kept.validate = new Ajv().compile({type: 'object', properties: {articleNumber: {type: 'string'}}, required: ['articleNumber']});
  kept.validated = kept.validate({articleNumber: 'a1'});

  kept.app = express();
  kept.app.use(express.json());
  kept.app.get('/orders/:orderId', function showOrder(request, response) { response.json({orderId: request.params.orderId}); });
  kept.server = kept.app.listen(0, '127.0.0.1');
  await new Promise(done => kept.server.once('listening', done));
  kept.client = axios.create({baseURL: `http://127.0.0.1:${kept.server.address().port}`, proxy: false, timeout: 5000});
  kept.reply = (await kept.client.get('/orders/first')).data;
  kept.sockets = new ws.WebSocketServer({noServer: true});

  kept.redis = new Redis({lazyConnect: true, host: '127.0.0.1', keyPrefix: 'orders:'});
  kept.pool = new pg.Pool({max: 2, host: '127.0.0.1', database: 'orders'});
  kept.command = new Command('orders').option('--dry-run', 'change nothing').parse(['node', 'orders', '--dry-run']);
  kept.arguments = yargs(['--limit', '5']).option('limit', {type: 'number'}).parse();
  kept.coloured = chalk.bold.green('ready');
  v8.writeHeapSnapshot(out);
  process.exit(0);
}

main().catch(e => { console.error(e); process.exit(1); });
