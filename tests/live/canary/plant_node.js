// Plants fake secrets in every place a Node heap can hold text, then writes snapshots and the truth about them.
// usage: node --expose-gc plant_node.js --seed N --out DIR
'use strict';
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const {spawnSync} = require('child_process');
const {Console} = require('console');
const {Writable} = require('stream');
const {readArgs, usage} = require('./lib/args.js');
const {plantAll, truthOf} = require('./lib/lab.js');

const places = [...require('./places/strings.js'), ...require('./places/holders.js'), ...require('./places/keys.js'), ...require('./places/names.js')];
const USAGE = 'node --expose-gc plant_node.js --seed N --out DIR';
const FILE = 'canary.heapsnapshot';
let args;
try { args = readArgs(process.argv.slice(2), {seed: 'one', out: 'one', session: 'one'}); } catch (e) { usage(USAGE, e); }
if (!/^\d+$/.test(args.seed || '') || !args.out) usage(USAGE);
const seed = args.seed, out = path.resolve(args.out);

const major = Number(process.versions.node.split('.')[0]);
const lab = {
  numeric: major >= 20,
  timers: [],
  quietConsole: new Console(new Writable({write(chunk, enc, done) { done(); }})),
  moduleText: "'use strict';\nmodule.exports = {run: function runModule() { return 1; }, fail: function failModule() { return [new Error('planned').stack]; }};\n",
  write(name, text) {
    const file = path.join(out, 'tree', name);
    fs.mkdirSync(path.dirname(file), {recursive: true});
    fs.writeFileSync(file, text);
    return file;
  },
};

/** Second process: it gets its own secrets as argument and environment, plants the rest and takes the snapshots. */
async function child() {
  const kept = globalThis.canaryLab = [];
  await plantAll(places, seed, lab, x => { kept.push(x); });
  for (let i = 0; i < 3; i++) { await new Promise(r => setImmediate(r)); globalThis.gc(); }
  v8.writeHeapSnapshot(path.join(out, FILE));
  if (lab.numeric) v8.writeHeapSnapshot(path.join(out, 'canary-numeric.heapsnapshot'), {exposeNumericValues: true});
  v8.setFlagsFromString('--heap-snapshot-string-limit=20000');
  v8.writeHeapSnapshot(path.join(out, 'canary-long.heapsnapshot'));
  process.exit(0);
}

function parent() {
  fs.mkdirSync(out, {recursive: true});
  const truth = truthOf(places, seed, lab);
  const secret = id => truth.find(p => p.id === id).canary;
  const run = spawnSync(process.execPath, ['--expose-gc', __filename, '--seed', seed, '--out', out, '--session', secret('value/argv')],
    {env: {...process.env, LAB_DATABASE_PASSWORD: secret('value/env-copy')}, stdio: 'inherit'});
  removeTree(path.join(out, 'tree'));
  if (run.status !== 0) process.exit(run.status || 1);
  const files = fs.readdirSync(out).filter(n => n.endsWith('.heapsnapshot')).sort();
  fs.writeFileSync(path.join(out, 'truth.json'), JSON.stringify({seed: Number(seed), runtime: `node ${process.versions.node}`, file: FILE, files, places: truth}, null, 1));
  console.log(`${truth.length} places, ${files.length} snapshots`);
}

function removeTree(dir) {
  (fs.rmSync || ((d) => fs.rmdirSync(d, {recursive: true})))(dir, {recursive: true, force: true});
}

if (args.session === undefined) parent(); else child().catch(e => { console.error(e); process.exit(1); });
