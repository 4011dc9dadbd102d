// A Map by request that nobody empties. Mended: it has a limit.
'use strict';
const {text} = require('../made.js');

class CachedCompletion {
  constructor(i) { this.number = i; this.prompt = text(500); this.completion = text(300); }
}
const completionCache = new Map();
const LIMIT = 20;

exports.leak = {classes: ['CachedCompletion'], owners: ['cache'], path: ['completionCache']};
exports.handle = function answer(i, mended) {
  completionCache.set('req:' + i, new CachedCompletion(i));
  if (mended && completionCache.size > LIMIT) completionCache.delete(completionCache.keys().next().value);
};
