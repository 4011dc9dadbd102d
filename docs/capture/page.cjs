'use strict';
// Snapshots of a page in Chrome or Chromium: the same action over and over, a snapshot after each round.
//
//   CHROME=/usr/bin/chromium node page.cjs URL ACTION OUTDIR [ROUNDS] [TIMES]
//
// ACTION is a JavaScript expression that the page evaluates TIMES times in each round (default 10), e.g.
// "document.querySelector('#open').click()". A first round warms up and is not taken. ROUNDS: default 3.
// Needs puppeteer-core (npm install puppeteer-core).
const fs = require('fs');
const path = require('path');
const puppeteer = require('puppeteer-core');

const [url, action, place, rounds = 3, times = 10] = process.argv.slice(2);
if (!place) { console.error('usage: page.cjs URL ACTION OUTDIR [ROUNDS] [TIMES]'); process.exit(2); }

async function take(session, file) {
  const out = fs.openSync(file, 'w', 0o600);
  const write = (event) => fs.writeSync(out, event.chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', write);
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  session.off('HeapProfiler.addHeapSnapshotChunk', write);
  fs.closeSync(out);
}

(async () => {
  const args = ['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  // Chrome has no sandbox for the administrator.
  if (process.getuid && process.getuid() === 0) args.push('--no-sandbox');
  const browser = await (puppeteer.default || puppeteer).launch({ executablePath: process.env.CHROME, headless: true, args });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    const session = await page.createCDPSession();
    await session.send('HeapProfiler.enable');
    for (let round = 0; round <= Number(rounds); round++) {
      for (let n = 0; n < Number(times); n++) {
        // The protocol keeps nothing of what is evaluated in this way.
        const { exceptionDetails } = await session.send('Runtime.evaluate', { expression: `void (${action})`, awaitPromise: true });
        if (exceptionDetails) throw new Error('the action failed in the page');
      }
      if (round === 0) continue;
      await new Promise((resolve) => setTimeout(resolve, 300));
      for (let n = 0; n < 3; n++) await session.send('HeapProfiler.collectGarbage');
      await take(session, path.join(place, `heap-${round}.heapsnapshot`));
    }
  } finally {
    await browser.close();
  }
})().catch((error) => { console.error(error.message); process.exit(1); });
