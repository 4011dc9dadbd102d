// Plants fake secrets in a page of a real browser, then writes a snapshot, an allocation timeline and the truth.
// usage: CHROMIUM=PATH [NPM_DIR=DIR] node plant_chromium.js --seed N --out DIR   (puppeteer-core below NPM_DIR/node_modules)
'use strict';
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const {readArgs, usage} = require('./lib/args.js');
const {truthOf} = require('./lib/lab.js');
const places = require('./places/page.js');

const USAGE = 'CHROMIUM=PATH [NPM_DIR=DIR] node plant_chromium.js --seed N --out DIR';
const FILE = 'canary.heapsnapshot', TIMELINE = 'canary.heaptimeline';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
let args;
try { args = readArgs(process.argv.slice(2), {seed: 'one', out: 'one'}); } catch (e) { usage(USAGE, e); }
if (!/^\d+$/.test(args.seed || '') || !args.out || !process.env.CHROMIUM) usage(USAGE);
const out = path.resolve(args.out);

const TRACK = 'window.trackedAllocate = function trackedAllocate(n) { return Array.from({length: n}, (x, i) => ({i})); };\n';
const PAGE = `<!doctype html><html lang="x-seed-${args.seed}"><head><title>start</title></head><body>
<script src="/own/canary.js"></script><script src="/own/page.js"></script><script src="/own/page_start.js"></script></body></html>`;

/** Serves the page under any path, its scripts below /own/ and small side files. */
function serve() {
  const own = {'canary.js': 'lib', 'page.js': 'places', 'page_start.js': 'places'};
  const server = http.createServer((request, response) => {
    const name = new URL(request.url, 'http://local').pathname, base = path.basename(name);
    const script = name.endsWith('.js');
    response.setHeader('content-type', script ? 'text/javascript; charset=utf-8' : 'text/html; charset=utf-8');
    if (name.startsWith('/own/') && own[base]) response.end(fs.readFileSync(path.join(__dirname, own[base], base)));
    else if (script) response.end(base === 'track.js' ? TRACK : 'window.sideLoaded = function sideLoaded() { return 1; };\n');
    else response.end(base === 'frame.html' ? '<!doctype html><p>frame</p>' : PAGE);
  });
  return new Promise(done => server.listen(0, '127.0.0.1', () => done(server)));
}

/** Runs a profiler command and writes the chunks it sends; strings go out as UTF-8. */
async function grab(session, name, method, params) {
  const fd = fs.openSync(path.join(out, name), 'w', 0o600);
  const onChunk = event => fs.writeSync(fd, Buffer.from(event.chunk, 'utf8'));
  session.on('HeapProfiler.addHeapSnapshotChunk', onChunk);
  await session.send(method, params);
  session.off('HeapProfiler.addHeapSnapshotChunk', onChunk);
  fs.closeSync(fd);
}

async function main() {
  const npm = path.resolve(process.env.NPM_DIR || __dirname);
  const loaded = require(require.resolve('puppeteer-core', {paths: [npm]}));
  const puppeteer = loaded.default || loaded;
  fs.mkdirSync(out, {recursive: true});
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'canary-profile-'));
  const truth = truthOf(places.all, args.seed, {});
  const secret = id => truth.find(p => p.id === id).canary;
  const server = await serve();
  const browser = await puppeteer.launch({executablePath: process.env.CHROMIUM, headless: true, userDataDir: profile, args: FLAGS});
  try {
    const page = await browser.newPage();
    const failed = [];
    page.on('pageerror', e => failed.push(e));
    await page.goto(`http://127.0.0.1:${server.address().port}/${secret('dom/url-path')}/index.html?token=${secret('dom/url-query')}#${secret('dom/url-hash')}`);
    await page.evaluate('plantInPage(false)');
    const session = await page.createCDPSession();
    await session.send('HeapProfiler.enable');
    await session.send('HeapProfiler.collectGarbage');
    await grab(session, FILE, 'HeapProfiler.takeHeapSnapshot', {reportProgress: false});
    await session.send('HeapProfiler.startTrackingHeapObjects', {trackAllocations: true});
    await page.evaluate('plantInPage(true)');
    await new Promise(r => setTimeout(r, 500));
    await grab(session, TIMELINE, 'HeapProfiler.stopTrackingHeapObjects', {reportProgress: false});
    if (failed.length) throw failed[0];
    const runtime = `chromium ${(await browser.version()).replace(/^.*\//, '')}`;
    fs.writeFileSync(path.join(out, 'truth.json'), JSON.stringify({seed: Number(args.seed), runtime, file: FILE, files: [FILE, TIMELINE], places: truth}, null, 1));
    console.log(`${truth.length} places, 2 files`);
  } finally {
    await browser.close();
    server.close();
    (fs.rmSync || fs.rmdirSync)(profile, {recursive: true});
  }
}

main().then(() => process.exit(0), e => { console.error(e); process.exit(1); });
