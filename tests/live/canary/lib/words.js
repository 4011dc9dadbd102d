// By-place check: do ordinary words survive as keys of the dictionaries that a known holder object keeps?
'use strict';

const INNER = new Set(['properties', 'elements', 'table', 'map', 'descriptors', 'instance_descriptors']);

/** Finds the holder by the heap id noted when it was planted, or by class name. */
function findHolder(s, spec) {
  for (let n = 0; n < s.count; n++) if (s.id(n) === spec.holderId) return n;
  for (let n = 0; n < s.count; n++) if (s.type(n) === 'object' && s.name(n) === spec.holder) return n;
  return -1;
}

/**
 * Returns [{place, form, count}] for words that still label a key edge or stand as key string below a field.
 * Fields are told by their position in the holder, as their labels may have been replaced.
 */
function wordsByPlace(s, spec) {
  const holder = findHolder(s, spec);
  if (holder < 0) return [{place: 'words/holder-not-found', form: 'structure', count: 1}];
  const words = new Set(spec.words), found = [];
  for (const field of spec.wordFields) {
    const edge = s.firstEdge[holder] + spec.fields[field];
    if (edge >= s.firstEdge[holder + 1]) return [{place: 'words/holder-changed', form: 'structure', count: 1}];
    const start = s.target(edge);
    const count = {'key edge': 0, 'key string': 0};
    const seen = new Set([start]), queue = [start];
    while (queue.length) {
      const n = queue.pop(), type = s.type(n);
      for (let e = s.firstEdge[n]; e < s.firstEdge[n + 1]; e++) {
        const kind = s.edgeType(e), label = s.edgeText(e), to = s.target(e);
        if (kind === 'weak' || kind === 'shortcut' || label === '__proto__') continue;
        if (kind === 'property' && words.has(label)) count['key edge']++;
        if (type !== 'object' && s.type(to) === 'string' && words.has(s.name(to))) count['key string']++;
        const inside = kind === 'property' || kind === 'element' || kind === 'hidden' || INNER.has(label) || /^\d+$/.test(label || '');
        if (!inside || seen.has(to) || (type === 'array' && s.name(n) !== '' && s.type(to) === 'code')) continue;
        const isMap = /^system \/ Map/.test(s.name(n));
        if (isMap && !/descriptors/.test(label || '')) continue;
        if (kind === 'property' && s.type(to) !== 'object') continue;
        if (s.type(to) === 'closure' || s.type(to) === 'code' || s.type(to) === 'native') continue;
        seen.add(to);
        queue.push(to);
      }
    }
    for (const form of Object.keys(count)) if (count[form]) found.push({place: 'words/' + field, form, count: count[form]});
  }
  return found;
}

module.exports = {wordsByPlace};
