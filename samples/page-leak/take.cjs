// Takes three heap snapshots of the leaking page, one after each round, in one Chromium.
// usage: NPM_DIR=... CHROMIUM=... node take.cjs OUTDIR      writes snapshot-{1,2,3}.heapsnapshot and truth.json
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {pathToFileURL} = require('node:url');
const puppeteer = require(require.resolve('puppeteer-core', {paths: [process.env.NPM_DIR]}));
const outDir = path.resolve(process.argv[2]);
const ROUNDS = 3;

async function grab(session, name) {
  const file = fs.openSync(path.join(outDir, name), 'w');
  const write = (event) => fs.writeSync(file, event.chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', write);
  await session.send('HeapProfiler.takeHeapSnapshot', {reportProgress: false});
  session.off('HeapProfiler.addHeapSnapshotChunk', write);
  fs.closeSync(file);
}

async function evaluate(session, expression) {
  const {result, exceptionDetails} = await session.send('Runtime.evaluate', {expression, returnByValue: true});
  if (exceptionDetails) throw new Error('the page failed: ' + (exceptionDetails.exception?.description ?? exceptionDetails.text));
  return result.value;
}

function writeTruth(version, rounds, planted) {
  const row = (name, kind, leak, heldBy, key) => {
    const counts = rounds.map((round) => round.counts[name]);
    return {[key]: name, kind, leak, held_by: heldBy, per_round: leak ? counts[1] - counts[0] : 0, counts};
  };
  const work = rounds.map((round) => round.work);
  const head = {runtime: version, rounds: ROUNDS, work, per_round: work[1] - work[0], warm_up: work[1] - work[0]};
  const classes = [
    row('PanelView', 'detached', true, 'PanelHistory.closed', 'class'),
    row('ChatLine', 'detached', true, 'PanelView.lines', 'class'),
    row('ResizeContext', 'listener', true, 'Window (resize)', 'class'),
    row('TranscriptRow', 'closure', true, 'exportRows', 'class'),
    row('Draft', 'cache', false, 'DraftStore.byVisitor', 'class'),
    row('Toast', 'transient', false, null, 'class'),
    row('PanelHistory', 'steady', false, 'Widget.history', 'class'),
  ];
  const detached = [
    row('section', 'detached', true, 'PanelView.element', 'tag'),
    row('p', 'detached', true, '<section>', 'tag'),
    row('aside', 'pool', false, 'SpareRows.free', 'tag'),
    row('output', 'transient', false, null, 'tag'),
  ];
  const list = (rows) => '[\n' + rows.map((entry) => JSON.stringify(entry)).join(',\n') + '\n]';
  fs.writeFileSync(path.join(outDir, 'truth.json'), JSON.stringify(head).slice(0, -1) + ',\n"classes":' + list(classes) + ',\n"detached":' + list(detached) + ',\n"planted":' + list(planted) + '}\n');
}

async function main() {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'chromium-'));
  const browser = await (puppeteer.default ?? puppeteer).launch({
    executablePath: process.env.CHROMIUM, headless: true, userDataDir: profile,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  try {
    const page = await browser.newPage();
    const token = Buffer.from(['page', 'address'].join(' ')).toString('hex');
    await page.goto(pathToFileURL(path.join(__dirname, 'index.html')) + '?session=' + token);
    const session = await page.createCDPSession();
    await session.send('HeapProfiler.enable');
    const planted = [{place: 'page/address', text: token, from: 1}];
    const rounds = [];
    // The first call is the warm-up.
    for (let round = 0; round <= ROUNDS; round++) {
      const done = await evaluate(session, `work(${round === 0})`);
      for (const {place, text, form, pieces} of done.planted) planted.push({place, text: text ?? pieces.join(''), form, pieces, from: Math.max(round, 1)});
      if (round === 0) continue;
      rounds.push(done);
      await new Promise((resolve) => setTimeout(resolve, 300));
      for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage');
      await grab(session, `snapshot-${round}.heapsnapshot`);
    }
    writeTruth('Chromium ' + (await browser.version()).split('/')[1], rounds, planted);
  } finally {
    await browser.close();
    fs.rmSync(profile, {recursive: true, force: true});
  }
}
main().catch((error) => { console.error(error); process.exit(1); });
