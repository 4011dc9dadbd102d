// Writes snapshots of a page in a real Chromium that leaks in a known way, one after each round, and a truth file.
//
// usage: NPM_DIR=DIR CHROMIUM=PATH node make_page_leak.js --out DIR [--kind KIND[,KIND...]|all] [--fixed KIND[,KIND...]|all]
//          [--rounds 3] [--per-round 200] [--seed 1] [--prefix page]
//   KIND: detached, window-listener, closure, interval, map
// The truth file has the form of make_leak.js.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {pathToFileURL} = require('url');

const LEAKS = {
  detached: {classes: ['TicketView'], owners: ['detached-dom'], path: ['closedTickets']},
  'window-listener': {classes: ['ResizeContext'], owners: ['event-target'], path: ['fitTicket']},
  closure: {classes: ['DraftText'], owners: ['closure'], path: ['saveDrafts', 'saveDraft']},
  interval: {classes: ['LiveStatus'], owners: ['interval', 'timer'], path: ['refreshStatus']},
  map: {classes: ['FetchedAnswer'], owners: ['cache'], path: ['answerCache']},
};
const HEALTHY = {ToastView: {count: 0, why: 'closed and gone'}, SpareRow: {count: 40, why: 'detached to be used again'}};
const FLAGS = {out: '', kind: 'all', fixed: '', rounds: '3', 'per-round': '200', seed: '1', prefix: 'page'};
const BROWSER = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

function usage(message) {
  console.error(`${message}\nusage: NPM_DIR=DIR CHROMIUM=PATH node make_page_leak.js --out DIR [--kind ${Object.keys(LEAKS).join('|')}|all] [--fixed KINDS|all] [--rounds N] [--per-round N] [--seed N] [--prefix NAME]`);
  process.exit(2);
}
const flags = {...FLAGS};
for (let at = 2; at < process.argv.length; at += 2) {
  const name = process.argv[at].replace(/^--/, '');
  if (!(name in FLAGS) || process.argv[at + 1] === undefined) usage(`no flag ${process.argv[at]}`);
  flags[name] = process.argv[at + 1];
}
const named = (list, all) => (list === 'all' ? all : list.split(',').filter(Boolean));
const kinds = named(flags.kind, Object.keys(LEAKS)), fixed = named(flags.fixed, kinds);
for (const kind of [...kinds, ...fixed]) if (!LEAKS[kind] || !kinds.includes(kind)) usage(`no kind ${kind}`);
const [rounds, perRound, seed] = ['rounds', 'per-round', 'seed'].map((name) => { const n = Number(flags[name]); if (!Number.isInteger(n) || n < 1) usage(`--${name} is a number`); return n; });
if (!flags.out || !process.env.CHROMIUM || !process.env.NPM_DIR) usage('--out, NPM_DIR and CHROMIUM are needed');

async function grab(session, file) {
  const fd = fs.openSync(file, 'w', 0o600);
  const write = (event) => fs.writeSync(fd, event.chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', write);
  await session.send('HeapProfiler.takeHeapSnapshot', {reportProgress: false});
  session.off('HeapProfiler.addHeapSnapshotChunk', write);
  fs.closeSync(fd);
}

async function evaluate(session, expression) {
  const {result, exceptionDetails} = await session.send('Runtime.evaluate', {expression, returnByValue: true});
  if (exceptionDetails) throw new Error('the page failed: ' + (exceptionDetails.exception?.description ?? exceptionDetails.text));
  return result.value;
}

async function main() {
  const loaded = require(require.resolve('puppeteer-core', {paths: [process.env.NPM_DIR]}));
  fs.mkdirSync(flags.out, {recursive: true});
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'chromium-'));
  const browser = await (loaded.default ?? loaded).launch({executablePath: process.env.CHROMIUM, headless: true, userDataDir: profile, args: BROWSER});
  try {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(path.join(__dirname, 'page/index.html')).href);
    const session = await page.createCDPSession();
    await session.send('HeapProfiler.enable');
    await evaluate(session, `setUp(${seed}, ${JSON.stringify(fixed)})`);
    const files = [];
    for (let round = 1; round <= rounds; round++) {
      await evaluate(session, `work(${JSON.stringify(kinds)}, ${perRound})`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage');
      files.push(`${flags.prefix}-${round}.heapsnapshot`);
      await grab(session, path.join(flags.out, files[round - 1]));
    }
    const perSnapshot = (count) => files.map((_, i) => (i + 1) * count);
    const rows = (wanted) => kinds.filter((kind) => fixed.includes(kind) === wanted).map((kind) => ({kind, every: 1, ...LEAKS[kind]}));
    const truth = {
      runtime: `Chromium ${(await browser.version()).split('/')[1]}`, kinds, missing: [], rounds, per_round: perRound, seed, files, work: perSnapshot(perRound),
      leaks: rows(false).map((leak) => ({...leak, per_round: perRound, counts: perSnapshot(perRound)})), fixed: rows(true), healthy: HEALTHY,
    };
    fs.writeFileSync(path.join(flags.out, `${flags.prefix}.truth.json`), JSON.stringify(truth, null, 1));
    console.log(`${truth.runtime}: ${files.length} snapshots, ${truth.leaks.length} leaks, ${truth.fixed.length} fixed`);
  } finally {
    await browser.close();
    fs.rmSync(profile, {recursive: true, force: true});
  }
}
main().then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
