// Names that live code with a file name uses: strings in the constant pools below shared function infos.
'use strict';
const {textOf} = require('./joined.js');

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const SCRIPT_EDGES = ['script', 'script_or_debug_info'];
const CODE_EDGES = ['function_data', 'trusted_function_data'];
const STOP = /SharedFunctionInfo|shared function info|ScopeInfo|scope info|system \/ Script|Context$|^system \/ Map|Feedback|feedback/;
const SKIP_EDGES = new Set(['map', 'source', 'context', 'native_context', 'scope_info', 'relocation_info', 'outer_scope_info']);

/** The script of a shared function info when it has a name; a debug info may stand between. */
function namedScript(s, n) {
  for (const label of SCRIPT_EDGES) {
    let script = s.follow(n, label);
    if (script < 0) continue;
    if (s.follow(script, 'source') < 0 && s.follow(script, 'script') >= 0) script = s.follow(script, 'script');
    const name = s.follow(script, 'name');
    if (name >= 0 && ['string', 'concatenated string'].includes(s.type(name)) && s.name(name) !== '') return script;
  }
  return -1;
}

const isFunctionInfo = (s, n) => s.type(n) === 'code' && SCRIPT_EDGES.some(l => s.follow(n, l) >= 0);

/** Adds the strings below one code object: constant pools, boilerplate and class descriptions, nested ones too. */
function addPool(s, start, names, seen) {
  const queue = [[start, 0]];
  while (queue.length) {
    const [n, depth] = queue.pop();
    if (seen.has(n) || depth > 8) continue;
    seen.add(n);
    const compiled = /InstructionStream/.test(s.name(n));
    for (let e = s.firstEdge[n]; e < s.firstEdge[n + 1]; e++) {
      const kind = s.edgeType(e), to = s.target(e), type = s.type(to);
      if (kind === 'weak' || kind === 'shortcut' || SKIP_EDGES.has(s.edgeText(e))) continue;
      if (type === 'string') { if (!compiled) names.add(s.name(to)); continue; }
      if (!['code', 'hidden', 'array'].includes(type) || STOP.test(s.name(to)) || isFunctionInfo(s, to)) continue;
      if (compiled && !/BytecodeArray/.test(s.name(to))) continue;
      queue.push([to, depth + 1]);
    }
  }
}

/** Is this the script of a program (an absolute path or an address), not one of the runtime's own? */
function isProgram(s, script) {
  const name = textOf(s, s.follow(script, 'name')) || '';
  return /^(?:\/|[A-Za-z]:\\|file:|https?:)/.test(name);
}

/** Set of identifier-like strings in the pools of code from named scripts; all of them or the program's only. */
function liveNames(s, programOnly) {
  const names = new Set(), seen = new Set();
  for (let n = 0; n < s.count; n++) {
    const script = s.type(n) === 'code' ? namedScript(s, n) : -1;
    if (script < 0 || (programOnly && !isProgram(s, script))) continue;
    for (const label of CODE_EDGES) {
      const data = s.follow(n, label);
      if (data >= 0) addPool(s, data, names, seen);
    }
  }
  return new Set([...names].filter(x => IDENTIFIER.test(x)));
}

module.exports = {liveNames};
