// Made-up texts, the same ones for the same --seed.
'use strict';
let state = 1;
exports.seed = (number) => { state = (Math.imul(number, 2654435761) ^ 0x5bd1e995) >>> 0; };
function random(limit) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return (state >>> 8) % limit;
}
const WORDS = 'alpha beta gamma delta prompt answer tool memory plan step agent user order parcel locker invoice stock'.split(' ');
/** About as many characters as asked for, in one flat string. */
exports.text = function text(length) {
  const words = [];
  for (let have = 0; have < length; have += words[words.length - 1].length + 1) words.push(WORDS[random(WORDS.length)]);
  return words.join(' ');
};
exports.random = random;
