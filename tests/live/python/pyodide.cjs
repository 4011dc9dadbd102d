// Runs a Python script in the CPython of a pyodide package.
// usage: node pyodide.cjs PACKAGE_DIR WORK_DIR SCRIPT ARGS...      (SCRIPT lies in WORK_DIR, which the script sees as /w)
const path = require('node:path');
const [, , packageDir, work, script, ...args] = process.argv;
(async () => {
  const log = console.log;
  console.log = () => {}; // what it says while it loads
  const { loadPyodide } = require(path.join(packageDir, 'pyodide.js'));
  const python = await loadPyodide({ indexURL: packageDir + '/', stdout: (line) => process.stdout.write(line + '\n') });
  console.log = log;
  python.FS.mkdirTree('/w');
  python.FS.mount(python.FS.filesystems.NODEFS, { root: work }, '/w');
  python.globals.set('arguments', python.toPy(['/w/' + script, ...args]));
  python.runPython('import os, sys, runpy\nsys.argv = list(arguments)\nrunpy.run_path(sys.argv[0], run_name="__main__")');
})().catch((error) => {
  process.stderr.write(String(error.message ?? error).split('\n').filter((line) => line).slice(-3).join('\n') + '\n');
  process.exit(1);
});
