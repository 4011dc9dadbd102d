// What a user of DevTools waits for: loads snapshots in its own worker and computes the class table, of a pair the comparison.
// usage: node --max-old-space-size=14000 benches/devtools.mjs FILE [LATER]
import {loadSnapshot} from '../tests/live/devtools/load.mjs';
import {classTable, comparison} from '../tests/live/devtools/tables.mjs';

const [file, later] = process.argv.slice(2);
const first = await loadSnapshot(file);
let rows = classTable(first).size;
if (later) rows = comparison(first, await loadSnapshot(later)).size;
console.log(`${rows} rows`);
process.exit(rows > 0 ? 0 : 1);
