// Bare Chromium for the vocabulary: snapshots of a blank page and of page.html, and the DOM names it lists.
// usage: NPM_DIR=... CHROMIUM=... node chromium.cjs OUT_PREFIX PROFILE_DIR
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const puppeteer = require(require.resolve('puppeteer-core', {paths: [process.env.NPM_DIR]}));
const [prefix, profile] = process.argv.slice(2);

// Only protocol commands: page.evaluate() would put puppeteer's own functions into the page.
async function snapshot(session, file, params) {
  const handle = fs.openSync(file, 'w');
  const write = (event) => fs.writeSync(handle, event.chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', write);
  await session.send('HeapProfiler.takeHeapSnapshot', {reportProgress: false, ...params});
  session.off('HeapProfiler.addHeapSnapshotChunk', write);
  fs.closeSync(handle);
}

async function evaluate(session, expression) {
  return (await session.send('Runtime.evaluate', {expression, returnByValue: true})).result.value;
}

async function main() {
  const browser = await (puppeteer.default ?? puppeteer).launch({
    executablePath: process.env.CHROMIUM, headless: true, userDataDir: profile, args: ['--no-sandbox', '--disable-gpu'],
  });
  const session = await (await browser.newPage()).createCDPSession();
  await session.send('HeapProfiler.enable');
  await session.send('Page.enable');
  await snapshot(session, prefix + '.blank.heapsnapshot', {});
  await snapshot(session, prefix + '.internals.heapsnapshot', {exposeInternals: true, captureNumericValue: true});
  await session.send('Page.navigate', {url: 'file://' + path.join(profile, 'page.html')});
  for (let wait = 0; (await evaluate(session, 'document.title')) !== 'hsOwnDone'; wait++) {
    if (wait > 100) throw new Error('the page did not finish');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await snapshot(session, prefix + '.page.heapsnapshot', {});
  fs.writeFileSync(prefix + '.names.json', await evaluate(session, 'JSON.stringify(hsOwnFound)'));
  await browser.close();
}
main().catch((error) => { console.error(error); process.exit(1); });
