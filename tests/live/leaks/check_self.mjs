// Checks that judge.mjs accepts a right report and notices wrong ones: a report made from the truth, untouched and doctored.
// usage: node check_self.mjs
// Exit status: 0 every fault is noticed and nothing else, 1 not.
import {judgeLeaks, judgeOwners} from './judge.mjs';

const leak = (kind, name, owners, words) => ({kind, every: 1, classes: [name], owners, path: words, per_round: 400, counts: [400, 800, 1200]});
const truth = {
  rounds: 3, work: [400, 800, 1200],
  leaks: [leak('map', 'CachedCompletion', ['cache'], ['completionCache']), {...leak('files', 'TailedFile', ['open-handle'], ['tailedFiles']), every: 8, per_round: 50, counts: [50, 100, 150]}],
  fixed: [{kind: 'array', classes: ['TranscriptLine'], owners: ['list'], path: ['auditLog']}],
  healthy: {BoundedEntry: {count: 100, why: 'a limit'}, WarmTemplate: {count: 500, late: true, why: 'filled once'}},
};
const step = (edge, name, more) => ({edge_kind: 'property', edge, class: name, name: null, retained: 10, location: null, repeats: 1, is_holder: false, ...more});
const owner = (planted) => ({kind: planted.owners[0], name: planted.path[0], confidence: 'high', evidence: ['an entry'], advice: 'Bound it.', before: 'a', after: 'b', location: null});
const paths = (planted) => [
  {count: 300, share: 0.75, steps: [step('global', 'Window'), step(planted.path[0], 'Map', {is_holder: true}), step('table', planted.classes[0])]},
  {count: 100, share: 0.25, steps: [step('else', 'Array', {is_holder: true}), step('3', planted.classes[0])]},
];
function grower(planted, retained) {
  return {
    class: planted.classes[0], holder: {class: 'Map', name: planted.path[0]}, counts: planted.counts, shallow: [1, 2, 3], retained: [retained, retained * 2, retained * 3],
    delta_count: planted.per_round * 2, delta_shallow: 2, delta_retained: retained * 2, share: 0.4, new: false, per_work: planted.per_round / 400, bytes_per_work: 10, monotone: true,
    owner: owner(planted), paths: paths(planted),
  };
}
const noise = (name, more) => ({...grower(truth.leaks[0], 500), class: name, share: 0.01, owner: {kind: 'unknown', confidence: 'low'}, paths: [], ...more});
const series = () => structuredClone({growers: [...truth.leaks.map((planted, i) => grower(planted, 1_000_000 - i)), noise('WarmTemplate', {monotone: false}), noise('(compiled code)')]});
const single = () => structuredClone({growers: [], holders: truth.leaks.map((planted, i) => ({class: planted.classes[0], count: planted.counts[2], retained: 1000 - i, owner: owner(planted), paths: paths(planted)}))});

const row = (report) => (report.growers.length ? report.growers : report.holders)[0];
const ofOwners = [
  ['unknown owner', (r) => { row(r).owner.kind = 'unknown'; }],
  ['another owner', (r) => { row(r).owner.kind = 'list'; }],
  ['no owner', (r) => { row(r).owner = null; }],
  ['no confidence', (r) => { row(r).owner.confidence = 'certain'; }],
  ['no evidence', (r) => { row(r).owner.evidence = []; }],
  ['no advice', (r) => { row(r).owner.advice = ''; }],
  ['no sketch', (r) => { delete row(r).owner.after; }],
  ['no path', (r) => { row(r).paths = []; }],
  ['a path without the name', (r) => { row(r).paths[0].steps[1].edge = '[variable#3]'; }],
  ['a path that ends elsewhere', (r) => { row(r).paths[0].steps.pop(); }],
  ['a path without a holder', (r) => { row(r).paths[0].steps[1].is_holder = false; }],
  ['a rare path first', (r) => { row(r).paths.reverse(); }],
];
const ofSeries = [
  ...ofOwners,
  ['a leak is missing', (r) => { r.growers.shift(); }],
  ['the small leak is missing', (r) => { r.growers.splice(1, 1); }],
  ['no growers', (r) => { r.growers = []; }],
  ['something else on top', (r) => { r.growers.unshift(noise('(string)')); }],
  ['something else between', (r) => { r.growers.splice(1, 0, noise('Timeout')); }],
  ['an owner of what nobody planted', (r) => { r.growers.at(-1).owner = {kind: 'list', confidence: 'high'}; }],
  ['one object too many', (r) => { row(r).counts = [400, 800, 1201]; }],
  ['all at once', (r) => { row(r).counts = [400, 400, 1200]; }],
  ['a wrong delta', (r) => { row(r).delta_count = 1200; }],
  ['not monotone', (r) => { row(r).monotone = false; }],
  ['retains less than it has', (r) => { row(r).delta_shallow = 9_000_000; }],
  ['no share', (r) => { row(r).share = 0; }],
  ['shares of more than all', (r) => { row(r).share = 0.99; }],
  ['wrong per unit of work', (r) => { row(r).per_work = 400; }],
  ['nothing per unit of work', (r) => { row(r).per_work = null; }],
  ['no bytes per unit of work', (r) => { row(r).bytes_per_work = null; }],
  ['no holder', (r) => { row(r).holder = null; }],
  ['a healthy class is blamed', (r) => { r.growers.push(noise('BoundedEntry')); }],
  ['a filled cache is told to grow on', (r) => { r.growers[2].monotone = true; }],
  ['a filled cache ranks above a leak', (r) => { r.growers.splice(1, 0, ...r.growers.splice(2, 1)); }],
  ['a mended leak is still there', (r) => { r.growers.push(noise('TranscriptLine')); }],
];
const ofSingle = [
  ...ofOwners,
  ['growers of one snapshot', (r) => { r.holders = [...r.holders]; r.growers = [noise('Timeout')]; }],
  ['a family is missing', (r) => { r.holders.shift(); }],
  ['no holders', (r) => { delete r.holders; }],
  ['a wrong count', (r) => { r.holders[0].count--; }],
  ['out of order', (r) => { r.holders.reverse(); }],
];

let wrong = 0;
function tell(what, expected, faults) {
  const ok = expected === faults.length > 0;
  if (!ok) wrong++;
  console.log(`${ok ? 'ok' : 'WRONG'}  ${what}: ${faults[0] ?? 'no fault'}`);
}
for (const [judge, make, cases, name] of [[judgeLeaks, series, ofSeries, 'series'], [(t, r) => judgeOwners(t, r, 2), single, ofSingle, 'single']]) {
  tell(`${name}, a right report`, false, judge(truth, make()).faults);
  for (const [what, doctor] of cases) {
    const report = make();
    doctor(report);
    tell(`${name}, ${what}`, true, judge(truth, report).faults);
  }
}
// With all leaks mended only the noise of the engine is left.
const mended = {...truth, leaks: [], fixed: truth.leaks};
const quiet = () => ({growers: [noise('(compiled code)')]});
tell('mended, a right report', false, judgeLeaks(mended, quiet()).faults);
const loud = quiet();
loud.growers[0].delta_retained = 900_000;
tell('mended, a large grower', true, judgeLeaks(mended, loud).faults);
tell('mended, still there', true, judgeLeaks(mended, series()).faults);
process.exit(wrong ? 1 : 0);
