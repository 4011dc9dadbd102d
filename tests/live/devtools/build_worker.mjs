// Bundles DevTools' own heap snapshot worker (npm package chrome-devtools-frontend) into one module for Node.
// usage: NPM_DIR=... node build_worker.mjs OUT.mjs
// The package ships TypeScript sources whose imports name the compiled .js files.
import fs from 'node:fs';
import path from 'node:path';
import {createRequire} from 'node:module';

const npmDir = path.resolve(process.env.NPM_DIR);
const out = path.resolve(process.argv[2]);
const {build} = createRequire(path.join(npmDir, 'any.js'))('esbuild');
const frontEnd = path.join(npmDir, 'node_modules/chrome-devtools-frontend');
const worker = path.join(frontEnd, 'front_end/entrypoints/heap_snapshot_worker');

const typescript = {
  name: 'typescript-for-js',
  setup(bundler) {
    // Translations are only used for progress texts; the real module needs a browser.
    bundler.onResolve({filter: /i18n\/i18n\.js$/}, () => ({path: 'i18n', namespace: 'plain-texts'}));
    bundler.onLoad({filter: /.*/, namespace: 'plain-texts'}, () => ({
      contents: 'const text = (value) => (typeof value === "string" ? value : ""); export const i18n = new Proxy({}, {get: () => text}); export {i18n as TimeUtilities, i18n as ByteUtilities, i18n as DevToolsLocale};',
    }));
    bundler.onResolve({filter: /\.js$/}, ({path: wanted, resolveDir}) => {
      const source = path.resolve(resolveDir, wanted).replace(/\.js$/, '.ts');
      return fs.existsSync(source) ? {path: source} : undefined;
    });
  },
};
fs.mkdirSync(path.dirname(out), {recursive: true});
await build({
  stdin: {contents: "export * from './HeapSnapshot.js'; export * from './HeapSnapshotLoader.js';", resolveDir: worker, loader: 'ts'},
  bundle: true, format: 'esm', platform: 'node', target: 'node20', outfile: out, logLevel: 'error', plugins: [typescript],
});
const {version} = JSON.parse(fs.readFileSync(path.join(frontEnd, 'package.json'), 'utf8'));
console.log(`chrome-devtools-frontend ${version}: ${fs.statSync(out).size} bytes`);
