// Runs a list of planting functions and says afterwards, without having kept any text, what was planted.
'use strict';
const {derive} = require('./canary.js');

/**
 * A place is [id, shape set, plant(canary, keep, lab), options]. Options: when(lab) decides whether the
 * runtime can do it; files names the snapshots in which it shows; extra(canary) lists more parts.
 */
function usable(places, lab) {
  return places.filter(p => !(p[3] && p[3].when) || p[3].when(lab));
}

async function plantAll(places, seed, lab, keep) {
  const list = usable(places, lab);
  for (let i = 0; i < list.length; i++) {
    const [id, set, plant] = list[i];
    await plant(derive(seed, id, set, i).canary, keep, lab);
  }
}

/** The truth about the same list, derived anew. */
function truthOf(places, seed, lab) {
  return usable(places, lab).map(([id, set, , options], i) => {
    const c = derive(seed, id, set, i);
    const more = options && options.extra ? options.extra(c.canary) : [];
    const row = {id, canary: c.canary, shape: c.shape, parts: [...c.parts, ...more].filter(p => p.length >= 6)};
    if (options && options.files) row.files = options.files;
    return row;
  });
}

module.exports = {plantAll, truthOf};
