// Runs in the page: plants the lists of places/page.js; the seed stands in the page.
'use strict';
globalThis.canaryLab = [];
globalThis.plantInPage = async function plantInPage(timeline) {
  const seed = document.documentElement.lang.replace('x-seed-', '');
  for (let i = 0; i < canaryPlaces.all.length; i++) {
    const [id, set, plant] = canaryPlaces.all[i];
    if (canaryPlaces.timeline.includes(canaryPlaces.all[i]) !== timeline) continue;
    await plant(canaryLib.derive(seed, id, set, i).canary, x => { canaryLab.push(x); });
  }
  return canaryLab.length;
};
