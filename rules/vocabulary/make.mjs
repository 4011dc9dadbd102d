// Collects label texts by role from snapshots of bare runtimes and writes the vocabulary files.
// usage: node make.mjs RUN1_DIR RUN2_DIR OUT_DIR
// A name is kept only if both runs of the same runtime have it in the same role.
// String values are never looked at.
import fs from 'node:fs';
import path from 'node:path';

const RUNTIMES = ['node14', 'node16', 'node18', 'node20', 'node22', 'node24', 'node26', 'deno', 'bun', 'chromium'];
const ROLES = ['edges', 'structure', 'properties', 'classes', 'functions', 'variables', 'scripts', 'tags', 'regexps'];
const STRUCTURE_TYPES = new Set(['hidden', 'array', 'synthetic', 'object shape', 'bigint', 'number', 'symbol']);
// V8 gives ropes and slices these fixed names; Bun puts the text itself there, which is a value and not a label.
const TEXT_LABELS = new Set(['(concatenated string)', '(sliced string)']);
const PAIR = / \/ part of key \(.* pair in WeakMap \(/;
const CPLUSPLUS = /::|operator|\(lambda\)/;
const [run1, run2, outDir] = process.argv.slice(2);

const withoutAccessor = (name) => name.replace(/^(?:get|set) /, '');
const withoutSymbol = (name) => name.replace(/^<symbol (.*)>$/s, '$1').replace(/^Symbol\((.*)\)$/s, '$1');
// What browsers append to names: the origin and the kind of wrapper.
const withoutPlace = (name) => name
  .replace(/ \/ (?:[a-z0-9+.-]*:\/\/\S*|null)$/, '')
  .replace(/ \((?:prototype|internal cache)\)$/, '')
  .replace(/ \[JSGlobal(?:Object|Proxy)\]$/, '')
  .replace(/ \/ scope @\d+$/, '');

class Names {
  constructor() { this.roles = new Map(ROLES.map((role) => [role, new Set()])); }
  add(role, name) { this.roles.get(role).add(name); }

  snapshot(file) {
    const {snapshot, nodes, edges, strings, scope_context_vars: scopeVariables = []} = JSON.parse(fs.readFileSync(file, 'utf8'));
    const meta = snapshot.meta;
    const width = meta.node_fields.length;
    const [typeAt, nameAt, countAt] = ['type', 'name', 'edge_count'].map((field) => meta.node_fields.indexOf(field));
    let edge = 0;
    for (let node = 0; node < nodes.length; node += width) {
      const labels = new Set();
      for (let left = nodes[node + countAt]; left > 0; left--, edge += 3) {
        const type = meta.edge_types[0][edges[edge]];
        if (type === 'element' || type === 'hidden') continue;
        const name = strings[edges[edge + 1]];
        labels.add(name);
        this.edge(type, name);
      }
      this.node(meta.node_types[typeAt][nodes[node + typeAt]], strings[nodes[node + nameAt]], labels);
    }
    for (const index of scopeVariables) this.add('variables', strings[index]);
  }

  edge(type, name) {
    if (type === 'property') this.add('properties', withoutSymbol(withoutAccessor(name)));
    else if (type === 'context') this.add('variables', name);
    else if (!PAIR.test(name) && !/[:(]/.test(name)) this.add('edges', name.replace(/^\d+ \/ /, ''));
  }

  node(type, name, labels) {
    if (type === 'symbol' && name.startsWith('Symbol(')) this.add('properties', withoutSymbol(name));
    else if (STRUCTURE_TYPES.has(type) || TEXT_LABELS.has(name)) this.add('structure', withoutPlace(name));
    else if (type === 'code') this.code(name, labels);
    else if (type === 'closure') this.add('functions', withoutAccessor(name));
    else if (type === 'regexp') this.add('regexps', name);
    else if (type === 'object') this.add('classes', withoutPlace(name));
    else if (type === 'native') this.native(name);
  }

  // Names of code nodes: a form with the name of a function or script in it, or a word of the engine.
  code(name, labels) {
    const named = /^system \/ (\w+) \/ (.*)$/s.exec(name);
    const compiled = /^\((?:code|instruction stream) for (.*)\)$/s.exec(name);
    if (named && named[1] === 'Script') this.add('scripts', named[2]);
    else if (named && named[1] === 'Code') this.add('structure', name);
    else if (named) this.add('functions', withoutAccessor(named[2]));
    else if (compiled) this.add('functions', withoutAccessor(compiled[1]));
    else if (/^system \/ |^\(.*\)$/.test(name)) this.add('structure', name);
    else if (labels.has('name_or_scope_info')) this.add('functions', withoutAccessor(name));
    else if (labels.has('source') && labels.has('name')) this.add('scripts', name);
    else this.add('structure', name);
  }

  native(name) {
    const bare = withoutPlace(name).replace(/^Detached /, '');
    const tag = /^<([^\s>]+)>?/.exec(bare);
    if (tag) {
      this.add('tags', tag[1]);
      return;
    }
    if (CPLUSPLUS.test(bare) || /[<>]/.test(bare)) return;
    this.add('structure', bare);
    if (/^[A-Za-z]\w*$/.test(bare)) this.add('classes', bare);
  }

  // The lists a page made of its own interfaces.
  listed(file) {
    for (const [role, names] of Object.entries(JSON.parse(fs.readFileSync(file, 'utf8')))) {
      for (const name of names) this.add(role, withoutSymbol(name));
    }
  }
}

// Outer filter: nothing that could come from the machine, the generator or a number.
function allowed(role, name) {
  if (name === '' || name.length > (role === 'regexps' ? 300 : 120)) return false;
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffd]/.test(name) || name.includes('???')) return false;
  if (/hsOwn|hs-own|__puppeteer|pptr:|wasm:\/\/|^%[0-9A-Fa-f]{0,2}$/.test(name)) return false;
  if (role === 'regexps') return !/\/home|\/tmp|\d{6}/.test(name);
  if (/^\s|\s$/.test(name) || /^[\d.,:-]+$/.test(name) || /\d{6}/.test(name)) return false;
  if (/\/home|\/tmp|file:|^\/|^[A-Za-z]:\\|https?:/.test(name) || /[^\s@]+@[^\s@]+\.[a-z]/.test(name)) return false;
  if (role === 'scripts') return /^(?:node:|internal\/|ext:|v8\/|[a-z_0-9]+(?:\/[a-z_0-9]+)*\.js$)/.test(name);
  return true;
}

// All snapshots of one runtime (file name up to the first dot) in one run.
function collect(dir) {
  const runtimes = new Map();
  for (const file of fs.readdirSync(dir).sort()) {
    const runtime = file.split('.')[0];
    if (!runtimes.has(runtime)) runtimes.set(runtime, new Names());
    const names = runtimes.get(runtime);
    if (file.endsWith('.json')) names.listed(path.join(dir, file));
    else names.snapshot(path.join(dir, file));
  }
  return runtimes;
}

// A runtime that wrote no snapshot must not go unnoticed.
function check(runtimes) {
  for (const runtime of RUNTIMES) if (!runtimes.has(runtime)) throw new Error(`no snapshot of ${runtime}`);
  return runtimes;
}

const first = check(collect(run1));
const second = check(collect(run2));
for (const role of ROLES) {
  const kept = new Set();
  let single = 0;
  for (const [runtime, names] of first) {
    const others = second.get(runtime).roles.get(role);
    for (const name of names.roles.get(role)) {
      if (!others.has(name)) single++;
      else if (allowed(role, name)) kept.add(name);
    }
  }
  const lines = [...kept].map((name) => Buffer.from(name + '\n')).sort(Buffer.compare);
  fs.writeFileSync(path.join(outDir, role + '.txt'), Buffer.concat(lines));
  console.log(`${role}.txt: ${lines.length} names (left out as seen in one run only: ${single})`);
}
