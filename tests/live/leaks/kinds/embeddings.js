// A vector for each text that was ever embedded. Mended: only those of the last batch.
'use strict';
const {text, random} = require('../made.js');

class EmbeddedChunk {
  constructor(i) { this.number = i; this.source = text(100); this.vector = Float32Array.from({length: 256}, () => random(1000) / 1000); }
}
const vectorIndex = [];

exports.leak = {classes: ['EmbeddedChunk', 'Float32Array'], owners: ['embeddings'], path: ['vectorIndex']};
exports.handle = function embed(i, mended) {
  vectorIndex.push(new EmbeddedChunk(i));
  if (mended && vectorIndex.length >= 20) vectorIndex.splice(0);
};
