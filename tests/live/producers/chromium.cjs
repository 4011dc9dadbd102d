// Takes real Chromium snapshots of the sample page: plain, with numbers and internals, allocation timeline.
// usage: NPM_DIR=... CHROMIUM=... node chromium.cjs OUTDIR
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {pathToFileURL} = require('node:url');
const puppeteer = require(require.resolve('puppeteer-core', {paths: [process.env.NPM_DIR]}));
const outDir = path.resolve(process.argv[2]);

async function grab(session, name, method, params) {
  const file = fs.openSync(path.join(outDir, name), 'w');
  const write = (event) => fs.writeSync(file, event.chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', write);
  await session.send(method, {reportProgress: false, ...params});
  session.off('HeapProfiler.addHeapSnapshotChunk', write);
  fs.closeSync(file);
}

function allocateRows() {
  window.timeline = [];
  (function sampleAllocator(count) {
    for (let i = 0; i < count; i++) window.timeline.push({role: 'assistant', content: ['SAMPLE', 'timeline', i, Math.random()].join('-')});
  })(3000);
}

async function main() {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'chromium-'));
  const browser = await (puppeteer.default ?? puppeteer).launch({
    executablePath: process.env.CHROMIUM, headless: true, userDataDir: profile, args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(path.join(__dirname, 'page.html')) + '?token=SAMPLE-page-address');
    if ((await page.title()) !== 'ready') throw new Error('the sample page did not finish');
    const session = await page.createCDPSession();
    await session.send('HeapProfiler.enable');
    await grab(session, 'chromium.heapsnapshot', 'HeapProfiler.takeHeapSnapshot', {});
    await grab(session, 'chromium.numeric.heapsnapshot', 'HeapProfiler.takeHeapSnapshot', {captureNumericValue: true, exposeInternals: true});
    await session.send('HeapProfiler.startTrackingHeapObjects', {trackAllocations: true});
    await page.evaluate(allocateRows);
    await new Promise((resolve) => setTimeout(resolve, 600));
    await grab(session, 'chromium.heaptimeline', 'HeapProfiler.stopTrackingHeapObjects', {});
  } finally {
    await browser.close();
    fs.rmSync(profile, {recursive: true, force: true});
  }
}
main().catch((error) => { console.error(error); process.exit(1); });
