#!/usr/bin/env node
'use strict';
// Starts the program of the package for this platform, with its own streams, exit code and signals.
const { spawn } = require('child_process');

const name = `@heapscrub/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/heapscrub`);
} catch {
  console.error(`heapscrub: the package ${name} is not installed.`);
  console.error('  It comes with heapscrub unless optional dependencies are switched off (npm install --include=optional);');
  console.error('  for a platform without a package, build it: cargo install --path . in a checkout.');
  process.exit(5);
}
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
// The program cleans up after itself; this one only waits for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => { if (signal !== 'SIGINT') child.kill(signal); });
}
child.on('error', (error) => {
  console.error(`heapscrub: the program of ${name} does not start (${error.code})`);
  process.exit(5);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
