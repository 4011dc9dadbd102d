// A Set of everything that was ever worked on. Mended: deleted when done.
'use strict';
const {text} = require('../made.js');

class SeenDocument {
  constructor(i) { this.number = i; this.body = text(420); }
}
const seenDocuments = new Set();

exports.leak = {classes: ['SeenDocument'], owners: ['set'], path: ['seenDocuments']};
exports.handle = function visit(i, mended) {
  const document = new SeenDocument(i);
  seenDocuments.add(document);
  if (mended) seenDocuments.delete(document);
};
