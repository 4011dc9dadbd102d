// Numbers of every node: what `heapscrub report --node-table DIR` writes, and the same from DevTools.
import fs from 'node:fs';
import path from 'node:path';
import {perNode} from './measure.mjs';

const COLUMNS = {distance: ['i32', Int32Array], dominator: ['u32', Uint32Array], self: ['u64', BigUint64Array], retained: ['u64', BigUint64Array]};

// Columns of snapshot `number` (from 1), as arrays of numbers.
export function readNodes(dir, number) {
  return Object.fromEntries(Object.entries(COLUMNS).map(([name, [ending, Kind]]) => {
    const bytes = fs.readFileSync(path.join(dir, `snapshot-${number}.${name}.${ending}`));
    const values = new Kind(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    return [name, ending === 'u64' ? Float64Array.from(values, Number) : values];
  }));
}

export function devtoolsNodes(snapshot) {
  const all = perNode(snapshot);
  return {distance: all.distance, dominator: all.dominator, self: all['self size'], retained: all['retained size']};
}

// One line for each column that differs.
export function nodeDifferences(theirs, ours) {
  const found = [];
  for (const name of Object.keys(COLUMNS)) {
    const [a, b] = [theirs[name], ours[name]];
    if (a.length !== b.length) {
      found.push(`${name}: ${b.length} nodes, DevTools has ${a.length}`);
      continue;
    }
    let count = 0, first = -1;
    for (let i = 0; i < a.length; i++) {
      if (a[i] === b[i]) continue;
      if (first < 0) first = i;
      count++;
    }
    if (count) found.push(`${name}: ${count} of ${a.length} nodes differ, first node ${first}: ${b[first]}, DevTools has ${a[first]}`);
  }
  return found;
}
