// Identifier tokens of a source tree, found by a small scanner that skips comments, strings and patterns.
'use strict';
const fs = require('fs');
const path = require('path');

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`|[A-Za-z_$][A-Za-z0-9_$]*|\d[\w.]*|\s+|[\s\S]/g;
const PATTERN = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const BEFORE_PATTERN = /^(?:[(,=:[!&|?{};+\-*%~^<>]|return|typeof|case|in|of|delete|void|throw|new|else|do)$/;

function tokensOf(text, names) {
  let last = '(';
  TOKEN.lastIndex = 0;
  for (let m; (m = TOKEN.exec(text));) {
    const t = m[0];
    if (/^\s/.test(t) || t.startsWith('//') || t.startsWith('/*')) continue;
    if (t === '/' && BEFORE_PATTERN.test(last)) {
      PATTERN.lastIndex = m.index;
      if (PATTERN.test(text)) TOKEN.lastIndex = PATTERN.lastIndex;
    } else if (/^[A-Za-z_$]/.test(t)) names.add(t);
    last = t;
  }
}

/** Set of identifiers in all .js, .mjs, .cjs and .ts files below a directory. */
function sourceNames(dir) {
  const names = new Set(), stack = [dir];
  while (stack.length) {
    const at = stack.pop();
    for (const entry of fs.readdirSync(at, {withFileTypes: true})) {
      const full = path.join(at, entry.name);
      if (entry.isDirectory()) stack.push(full);
      else if (entry.isFile() && /\.(?:[mc]?js|ts)$/.test(entry.name)) tokensOf(fs.readFileSync(full, 'utf8'), names);
    }
  }
  return names;
}

module.exports = {sourceNames};
