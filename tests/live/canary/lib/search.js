// Looks for many byte patterns at once: four leading bytes select the candidates, then whole patterns are compared.
'use strict';
const {formsOf, formsOfPart} = require('./encodings.js');

const BITS = 20;
const slot = w => Math.imul(w, 0x9e3779b1) >>> (32 - BITS);
const word = (b, i) => (b[i] << 24) | (b[i + 1] << 16) | (b[i + 2] << 8) | b[i + 3];

class Matcher {
  /** patterns: [{bytes, ...}] with at least four bytes each. */
  constructor(patterns) {
    this.filter = new Uint8Array(1 << BITS);
    this.byWord = new Map();
    for (const p of patterns) {
      const w = word(p.bytes, 0);
      this.filter[slot(w)] = 1;
      if (!this.byWord.has(w)) this.byWord.set(w, []);
      this.byWord.get(w).push(p);
    }
  }

  /** Calls hit(pattern, offset) for every occurrence in data. */
  scan(data, hit) {
    let w = data.length > 3 ? word(data, 0) >>> 8 : 0;
    for (let i = 3; i < data.length; i++) {
      w = (w << 8) | data[i];
      if (!this.filter[slot(w)]) continue;
      const list = this.byWord.get(w);
      if (!list) continue;
      const at = i - 3;
      for (const p of list) {
        if (at + p.bytes.length <= data.length && data.compare(p.bytes, 0, p.bytes.length, at, at + p.bytes.length) === 0) hit(p, at);
      }
    }
  }
}

function lowerAscii(data) {
  const out = Buffer.from(data);
  for (let i = 0; i < out.length; i++) if (out[i] >= 65 && out[i] <= 90) out[i] += 32;
  return out;
}

/** Matchers for the places of a truth file: exact forms and case-folded text. */
function buildSearch(places) {
  const exact = [], folded = [];
  for (const place of places) {
    for (const f of formsOf(place.canary)) exact.push({place: place.id, ...f});
    for (const part of place.parts || []) if (part.length >= 6) for (const f of formsOfPart(part)) exact.push({place: place.id, ...f});
    folded.push({place: place.id, form: 'case-folded', bytes: lowerAscii(Buffer.from(place.canary.toLowerCase()))});
  }
  const a = new Matcher(exact), b = new Matcher(folded);
  const cased = new Set(places.filter(p => p.canary.toLowerCase() !== p.canary.toUpperCase()).map(p => p.id));
  return function search(data, hit) {
    const plain = new Map();
    a.scan(data, (p, at) => { if (p.form === 'utf-8') plain.set(p.place + '@' + at, true); hit(p.place, p.form); });
    b.scan(lowerAscii(data), (p, at) => { if (cased.has(p.place) && !plain.has(p.place + '@' + at)) hit(p.place, p.form); });
  };
}

module.exports = {buildSearch};
