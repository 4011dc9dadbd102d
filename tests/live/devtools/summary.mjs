// Prints what DevTools itself computes for a snapshot, as JSON: counts, total size, statistics, biggest classes.
// usage: node --max-old-space-size=12000 summary.mjs FILE [--top N]
// Exit status: 0 loaded, 2 DevTools could not load the file.
import path from 'node:path';
import {loadSnapshot, warnings} from './load.mjs';
import {totals} from './measure.mjs';

const [file, flag, number] = process.argv.slice(2);
const top = flag === '--top' ? Number(number) : 20;
try {
  const snapshot = await loadSnapshot(file);
  const classes = Object.values(snapshot.aggregatesWithFilter({}))
    .map(({name, count, self, maxRet, distance}) => ({name, count, shallow: self, retained: maxRet, distance}))
    .sort((a, b) => b.retained - a.retained || (a.name < b.name ? -1 : 1));
  console.log(JSON.stringify({file: path.basename(file), ...totals(snapshot), classes: classes.slice(0, top), warnings}, null, 1));
  process.exit(0);
} catch (error) {
  console.error(`DevTools could not load ${path.basename(file)}: ${error?.message ?? error}`);
  process.exit(2);
}
