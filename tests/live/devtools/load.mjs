// Loads a snapshot file in DevTools' own worker code.
// The bundle is made on first use: $HEAPSCRUB_TOOLS/devtools_worker.mjs (see build_worker.mjs).
import fs from 'node:fs';
import path from 'node:path';
import {execFileSync} from 'node:child_process';
import {StringDecoder} from 'node:string_decoder';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {MessageChannel, Worker} from 'node:worker_threads';
import './promise.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const tools = path.resolve(process.env.HEAPSCRUB_TOOLS ?? path.join(here, '../../../target/tools'));
process.env.NPM_DIR ??= path.join(tools, 'npm');

function workerBundle() {
  const {version} = JSON.parse(fs.readFileSync(path.join(process.env.NPM_DIR, 'node_modules/chrome-devtools-frontend/package.json'), 'utf8'));
  const bundle = path.join(tools, `devtools_worker-${version}.mjs`);
  if (!fs.existsSync(bundle)) {
    const fresh = `${bundle}.${process.pid}.mjs`;
    execFileSync(process.execPath, [path.join(here, 'build_worker.mjs'), fresh], {stdio: ['ignore', 'ignore', 'inherit']});
    fs.renameSync(fresh, bundle);
  }
  return pathToFileURL(bundle).href;
}

// DevTools warns on the console about damaged files; a caller may look at this list.
export const warnings = [];
console.warn = (...parts) => warnings.push(parts.join(' ').split('\n')[0]);

export async function loadSnapshot(file) {
  const bundle = workerBundle();
  const devtools = await import(bundle);
  const loader = new devtools.HeapSnapshotLoader({sendEvent() {}});
  // The loader parses between chunks; a failure shows as a rejection of this promise.
  const parsed = loader.parsingComplete;
  let failure;
  parsed.catch((error) => { failure = error; });
  const decoder = new StringDecoder('utf8');
  for await (const chunk of fs.createReadStream(file, {highWaterMark: 1 << 20})) {
    loader.write(decoder.write(chunk));
    await new Promise((resolve) => setImmediate(resolve));
    if (failure) throw failure;
  }
  loader.close();
  await parsed;
  // Retainers, dominators and retained sizes are computed in a second thread, as in the browser.
  const channel = new MessageChannel();
  const second = new Worker(path.join(here, 'second_thread.mjs'), {
    workerData: {port: channel.port2, bundle}, transferList: [channel.port2], execArgv: [], resourceLimits: {maxOldGenerationSizeMb: 12000},
  });
  try {
    const failed = new Promise((_, reject) => second.once('error', reject));
    return await Promise.race([loader.buildSnapshot(channel.port1), failed]);
  } finally {
    channel.port1.close();
    await second.terminate();
  }
}
