// Writes real snapshots of one process that leaks in a known way, one after each round of equal work, and truth.json.
//
// usage: node --expose-gc make_leak.js --out DIR [--kind KIND[,KIND...]] [--fixed KIND[,KIND...]|all]
//          [--rounds 3] [--per-round 400] [--seed 1] [--prefix leak]
//   KIND: a name in kinds/, `mixed` (map, listener, interval, array) or `all`
//   --fixed: these leaks run without their fault; they must be gone from the report, and the others stay
// Per round each leak keeps one object per unit of work (or per `every` units) of a class of its own. Runs in Node 14 to 26;
// kinds that this runtime cannot have are listed in truth.json as missing, and are an error if they were asked for by name.
'use strict';
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const made = require('./made.js');
const neighbours = require('./neighbours.js');

const MIXED = ['map', 'listener', 'interval', 'array'];
const KINDS = fs.readdirSync(path.join(__dirname, 'kinds')).map((name) => path.basename(name, '.js')).sort();
const FLAGS = {out: '', kind: 'mixed', fixed: '', rounds: '3', 'per-round': '400', seed: '1', prefix: 'leak'};

function usage(message) {
  console.error(`${message}\nusage: node --expose-gc make_leak.js --out DIR [--kind ${KINDS.join('|')}|mixed|all] [--fixed KINDS|all] [--rounds N] [--per-round N] [--seed N] [--prefix NAME]`);
  process.exit(2);
}

function readFlags() {
  const flags = Object.assign({}, FLAGS);
  for (let at = 2; at < process.argv.length; at += 2) {
    const name = process.argv[at].replace(/^--/, '');
    if (!(name in FLAGS) || process.argv[at + 1] === undefined) usage(`no flag ${process.argv[at]}`);
    flags[name] = process.argv[at + 1];
  }
  const named = (text, all) => (text === 'all' ? all : text === 'mixed' ? MIXED : text.split(',').filter(Boolean));
  const kinds = named(flags.kind, KINDS), fixed = named(flags.fixed, kinds);
  const number = (name) => { const value = Number(flags[name]); if (!Number.isInteger(value) || value < 1) usage(`--${name} is a number`); return value; };
  const wanted = {out: flags.out, kinds, fixed, all: flags.kind === 'all', rounds: number('rounds'), perRound: number('per-round'), seed: number('seed'), prefix: flags.prefix};
  for (const kind of kinds) if (!KINDS.includes(kind)) usage(`no kind ${kind}`);
  for (const kind of fixed) if (!kinds.includes(kind)) usage(`${kind} is fixed, but not there`);
  if (wanted.perRound % 8 !== 0 || wanted.perRound < 160) usage('--per-round is a multiple of 8, at least 160');
  if (!wanted.out || typeof gc !== 'function') usage('--out and --expose-gc are needed');
  return wanted;
}

const turn = () => new Promise((done) => setImmediate(done));

/** One round of work; `start` is the number of its first unit. */
async function work(leaks, start, count) {
  for (let i = start; i < start + count; i++) {
    neighbours.handle(i);
    for (const leak of leaks) if (i % leak.every === 0) await leak.handle(i, leak.mended);
  }
}

async function main() {
  const wanted = readFlags();
  made.seed(wanted.seed);
  fs.mkdirSync(wanted.out, {recursive: true});
  const leaks = [], missing = [];
  for (const kind of wanted.kinds) {
    const planted = require(`./kinds/${kind}.js`);
    if (planted.available === false) {
      if (!wanted.all) usage(`${process.version} cannot have ${kind}`);
      missing.push(kind);
      continue;
    }
    leaks.push({kind, handle: planted.handle, every: planted.every || 1, leak: planted.leak, mended: wanted.fixed.includes(kind)});
    if (planted.open) await planted.open();
  }
  neighbours.open(wanted.perRound);
  const files = [];
  for (let round = 0; round < wanted.rounds; round++) {
    await work(leaks, round * wanted.perRound, wanted.perRound);
    neighbours.endRound(round);
    for (let i = 0; i < 3; i++) { await turn(); gc(); }
    const name = `${wanted.prefix}-${round + 1}.heapsnapshot`;
    v8.writeHeapSnapshot(path.join(wanted.out, name));
    files.push(name);
  }
  const rows = (mended) => leaks.filter((leak) => leak.mended === mended).map(({kind, every, leak}) => ({kind, every, ...leak}));
  const truth = {
    runtime: process.version, kinds: wanted.kinds, missing, rounds: wanted.rounds, per_round: wanted.perRound, seed: wanted.seed, files,
    work: files.map((_, round) => (round + 1) * wanted.perRound),
    leaks: rows(false).map((leak) => ({...leak, per_round: wanted.perRound / leak.every, counts: files.map((_, round) => ((round + 1) * wanted.perRound) / leak.every)})),
    fixed: rows(true), healthy: neighbours.healthy(wanted.perRound),
  };
  fs.writeFileSync(path.join(wanted.out, `${wanted.prefix}.truth.json`), JSON.stringify(truth, null, 1));
  console.log(`${process.version}: ${files.length} snapshots, ${truth.leaks.length} leaks, ${truth.fixed.length} fixed, ${neighbours.table()} rows`);
}

main().then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
