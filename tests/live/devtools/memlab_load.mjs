// Checks that memlab's own loader reads a snapshot file; prints its node and edge counts as JSON.
// usage: NPM_DIR=... node --max-old-space-size=12000 memlab_load.mjs FILE
// Exit status: 0 loaded, 2 memlab could not load the file.
import path from 'node:path';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';

const tools = process.env.HEAPSCRUB_TOOLS ?? fileURLToPath(new URL('../../../target/tools', import.meta.url));
const load = createRequire(path.resolve(process.env.NPM_DIR ?? path.join(tools, 'npm'), 'any.js'));
const core = load('@memlab/core');
const {getFullHeapFromFile} = load('@memlab/heap-analysis');
core.config.isContinuousTest = true;
const file = path.resolve(process.argv[2]);
// memlab ends the process itself on some damaged files; that must not look like another kind of failure.
let loaded = false;
process.on('exit', () => { if (!loaded) process.exitCode = 2; });
// memlab draws its progress on both streams, whatever its settings say.
async function quietly(action) {
  const streams = [process.stdout, process.stderr];
  const writers = streams.map((stream) => stream.write);
  for (const stream of streams) stream.write = () => true;
  try {
    return await action();
  } finally {
    streams.forEach((stream, i) => { stream.write = writers[i]; });
  }
}
try {
  const heap = await quietly(() => getFullHeapFromFile(file));
  if (heap.nodes.length === 0) throw new Error('no nodes');
  loaded = true;
  console.log(JSON.stringify({file: path.basename(file), nodes: heap.nodes.length, edges: heap.edges.length}));
  process.exit(0);
} catch (error) {
  console.error(`memlab could not load ${path.basename(file)}: ${error?.message ?? error}`);
  process.exit(2);
}
