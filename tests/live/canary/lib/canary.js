// Derives fake secrets from a seed and a place id, so that no source file ever contains one.
// Runs unchanged in Node and in a page (there it defines globalThis.canaryLib).
'use strict';
(function () {
  const ONSETS = ['br', 'v', 'z', 'kr', 'pl', 'm', 'th', 'gw', 'd', 'sk', 'f', 'l', 'n', 'tr', 'h', 'j'];
  const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ao', 'ei', 'ou'];
  const CODAS = ['', 'k', 'n', 'lv', 'r', 'x', 'mb', 'st'];
  const CYRILLIC = ['бро', 'вик', 'зун', 'мяр', 'плё', 'дхо', 'жэл', 'куц', 'фый', 'щап'];
  const ALNUM = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

  /** Small seeded generator; text in, function giving integers below n out. */
  function generator(text) {
    let h = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    return n => {
      h = (h + 0x6d2b79f5) | 0;
      let t = Math.imul(h ^ (h >>> 15), 1 | h);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) % n;
    };
  }
  const pick = (rnd, list) => list[rnd(list.length)];
  const repeat = (n, f) => Array.from({length: n}, f).join('');
  const syllable = rnd => pick(rnd, ONSETS) + pick(rnd, VOWELS) + pick(rnd, CODAS);
  const capital = w => w[0].toUpperCase() + w.slice(1);
  function word(rnd, least) {
    let w = '';
    while (w.length < least) w += syllable(rnd);
    return w;
  }
  function luhn(rnd) {
    const d = [4, ...Array.from({length: 14}, () => rnd(10))];
    const sum = d.reduce((s, x, i) => s + (i % 2 === 0 ? (x * 2 > 9 ? x * 2 - 9 : x * 2) : x), 0);
    return d.join('') + ((10 - (sum % 10)) % 10);
  }

  // Every shape gives {text, parts}; parts are pieces that must not survive on their own.
  const SHAPES = {
    token(rnd) { const t = repeat(16, (_, i) => (i % 3 === 1 ? String(2 + rnd(8)) : pick(rnd, ALNUM))); return {text: 'CANARY' + t, parts: [t]}; },
    words(rnd) { const w = [word(rnd, 8), word(rnd, 8), word(rnd, 8)]; return {text: w.join(' '), parts: w}; },
    email(rnd) { const w = [word(rnd, 8), word(rnd, 8), word(rnd, 8)]; return {text: `${w[0]}.${w[1]}@${w[2]}.example`, parts: w}; },
    card(rnd) { return {text: luhn(rnd), parts: []}; },
    ghp(rnd) { const t = repeat(36, () => pick(rnd, ALNUM)); return {text: 'ghp_' + t, parts: [t]}; },
    user(rnd) { const w = word(rnd, 10); return {text: 'jsmith_' + w, parts: [w]}; },
    pass(rnd) { return {text: capital(word(rnd, 13)), parts: []}; },
    camel(rnd) { const a = word(rnd, 8), b = word(rnd, 8); return {text: a + capital(b), parts: [a, b]}; },
    tag(rnd) { const a = word(rnd, 8), b = word(rnd, 8); return {text: `${a}-${b}`, parts: [a, b]}; },
    cyrillic(rnd) { return {text: repeat(6, () => pick(rnd, CYRILLIC)), parts: []}; },
    digits9(rnd) { return {text: String(300000000 + rnd(99999999) * 7), parts: []}; },
    digits15(rnd) { return {text: String(1 + rnd(8)) + repeat(13, () => rnd(10)) + String(1 + rnd(9)), parts: []}; },
  };

  // Sets of shapes a place may rotate over.
  const SETS = {
    any: ['token', 'words', 'email', 'card', 'ghp', 'user', 'pass'],
    ident: ['token', 'pass', 'camel', 'user'],
    letters: ['pass', 'camel'],
    path: ['user', 'pass', 'token', 'camel'],
  };

  /** The canary of one place: {id, shape, canary, parts}. `set` is a set name or a single shape. */
  function derive(seed, id, set, turn) {
    const list = SETS[set] || [set];
    const shape = list[(Number(seed) + turn) % list.length];
    const made = SHAPES[shape](generator(`${seed}|${id}|${shape}`));
    const flat = [...made.text].join('');
    return {id, shape, canary: flat, parts: made.parts};
  }

  /** A distinct invented word for list number i. */
  const inventedWord = (seed, i, least) => [...word(generator(`${seed}|word|${i}`), least)].join('');

  const api = {derive, generator, inventedWord};
  if (typeof module !== 'undefined') module.exports = api; else globalThis.canaryLib = api;
})();
