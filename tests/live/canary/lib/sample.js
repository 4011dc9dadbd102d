// A text that a grammar allows: character classes, groups, alternatives and counts; the subset of regular expressions that
// token_kinds.json uses.
'use strict';

/** `random` gives integers below n. */
function sample(grammar, random) {
  let at = 0;
  const pick = list => list[random(list.length)];
  function letter() {
    if (grammar[at] !== '\\') return grammar[at++];
    at += 2;
    return grammar[at - 1] === 'n' ? '\n' : grammar[at - 1];
  }
  function charClass() {
    const out = [];
    for (at++; grammar[at] !== ']'; at++) {
      const escaped = grammar[at] === '\\' && ++at;
      const from = escaped && grammar[at] === 'n' ? '\n' : grammar[at];
      if (grammar[at + 1] === '-' && grammar[at + 2] !== ']') {
        for (let c = from.charCodeAt(0); c <= grammar.charCodeAt(at + 2); c++) out.push(String.fromCharCode(c));
        at += 2;
      } else out.push(from);
    }
    at++;
    return () => pick(out);
  }
  function count() {
    if (grammar[at] === '?') { at++; return [0, 1]; }
    if (grammar[at] !== '{') return [1, 1];
    const end = grammar.indexOf('}', at), [low, high] = grammar.slice(at + 1, end).split(',').map(Number);
    at = end + 1;
    return [low, high === undefined ? low : high];
  }
  function sequence() {
    const options = [[]];
    while (at < grammar.length && grammar[at] !== ')') {
      let one;
      if (grammar[at] === '|') { at++; options.push([]); continue; }
      if (grammar[at] === '[') one = charClass();
      else if (grammar[at] === '(') { at += grammar.startsWith('(?:', at) ? 3 : 1; one = sequence(); at++; }
      else { const c = letter(); one = () => c; }
      const [low, high] = count();
      options[options.length - 1].push(() => Array.from({length: low + random(high - low + 1)}, one).join(''));
    }
    return () => pick(options).map(f => f()).join('');
  }
  return sequence()();
}

/** The same digits with the right check digit at the end. */
function withLuhn(text) {
  const digits = [...text].filter(c => c >= '0' && c <= '9').slice(0, -1).map(Number);
  const sum = digits.reverse().reduce((s, d, i) => s + (i % 2 ? d : d > 4 ? 2 * d - 9 : 2 * d), 0);
  return text.replace(/[0-9](?=[^0-9]*$)/, String((10 - sum % 10) % 10));
}

module.exports = {sample, withLuhn};
