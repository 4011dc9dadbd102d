// Command-line reading shared by the scripts: --name value pairs, repeated options and flags.
'use strict';

/** Reads argv by a spec such as {seed: 'one', file: 'many', json: 'flag'}; throws on anything else. */
function readArgs(argv, spec) {
  const out = {rest: []};
  for (const name of Object.keys(spec)) if (spec[name] === 'many') out[name] = [];
  for (let i = 0; i < argv.length; i++) {
    if (!argv[i].startsWith('--')) { out.rest.push(argv[i]); continue; }
    const name = argv[i].slice(2), kind = spec[name];
    if (!kind) throw new Error(`unknown option --${name}`);
    if (kind === 'flag') { out[name] = true; continue; }
    if (++i >= argv.length) throw new Error(`--${name} needs a value`);
    if (kind === 'many') out[name].push(argv[i]); else out[name] = argv[i];
  }
  return out;
}

/** Ends the process with the usage code (2) and a message. */
function usage(text, error) {
  if (error) console.error(String(error.message || error));
  console.error('usage: ' + text);
  process.exit(2);
}

module.exports = {readArgs, usage};
