// Checks that a scrubbed snapshot has exactly the graph of its original, as DevTools itself computes it.
// usage: node --max-old-space-size=12000 compare.mjs ORIGINAL SCRUBBED
// Every node must have the same id, type, self size (after DevTools moved sizes to owners), edge count, distance,
// dominator, retained size and detachedness; every edge the same type and target; totals and statistics must be equal.
// The views that depend on engine names (closures, detached nodes, console, listeners, native contexts, unused
// variables) must give the same numbers.
// The number of class rows may fall, since renamed classes can fall together, but must not vanish or grow by much.
// Prints one line per check. Exit status: 0 equal, 1 a difference, 2 a file could not be loaded.
import path from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {loadSnapshot} from './load.mjs';
import {edgeArrays, perNode, totals} from './measure.mjs';
import {duplicatedStrings, views} from './views.mjs';

const files = process.argv.slice(2);
if (files.length !== 2) {
  console.error('usage: compare.mjs ORIGINAL SCRUBBED');
  process.exit(2);
}

// One after the other: only plain arrays stay in memory of the first file.
async function measure(file) {
  try {
    const snapshot = await loadSnapshot(file);
    return {
      totals: totals(snapshot), nodes: perNode(snapshot), edges: edgeArrays(snapshot), views: views(snapshot), doubles: duplicatedStrings(snapshot),
    };
  } catch (error) {
    console.error(`DevTools could not load ${path.basename(file)}: ${error?.message ?? error}`);
    process.exit(2);
  }
}

let differences = 0;
function report(what, equal, detail) {
  if (!equal) differences++;
  console.log(`${equal ? 'ok' : 'DIFFERENT'}  ${what}: ${detail}`);
}

const brief = (value) => JSON.stringify(value).slice(0, 300);

function compareValue(what, a, b) {
  const equal = isDeepStrictEqual(a, b);
  report(what, equal, equal ? brief(a) : `${brief(a)} became ${brief(b)}`);
}

function compareArray(what, a, b) {
  let count = a.length === b.length ? 0 : Math.abs(a.length - b.length);
  let first = -1;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] === b[i]) continue;
    if (first < 0) first = i;
    count++;
  }
  report(what, count === 0, count === 0 ? `equal for all ${a.length}` : `${count} differ` + (first < 0 ? '' : `, first at ${first}: ${a[first]} became ${b[first]}`));
}

const original = await measure(files[0]);
const scrubbed = await measure(files[1]);
compareValue('nodes', original.totals.nodes, scrubbed.totals.nodes);
compareValue('edges', original.totals.edges, scrubbed.totals.edges);
for (const name of Object.keys(original.nodes)) compareArray(`${name} of every node`, original.nodes[name], scrubbed.nodes[name]);
for (const name of Object.keys(original.edges)) compareArray(`${name} of every edge`, original.edges[name], scrubbed.edges[name]);
for (const name of ['totalSize', 'rootIndex', 'maxNodeId', 'statistics', 'samples', 'locations']) compareValue(name, original.totals[name], scrubbed.totals[name]);
for (const name of Object.keys(original.views)) compareValue(`view ${name}`, original.views[name], scrubbed.views[name]);
console.log(`note  strings with a double: ${original.doubles.count} and ${scrubbed.doubles.count}`);
const [before, after] = [original.totals.classRows, scrubbed.totals.classRows];
report('class rows', after > 0 && after <= before * 1.1 + 5 && after >= before / 20, `${before} and ${after}`);
process.exit(differences === 0 ? 0 : 1);
