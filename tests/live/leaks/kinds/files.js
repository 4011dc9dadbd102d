// Files that are opened and stay open. Mended: closed.
'use strict';
const fs = require('fs');
const {text} = require('../made.js');

// Opens at once, reads nothing: the handle and its buffers stay.
class TailedFile extends fs.ReadStream {
  constructor(i) { super(__filename, {autoClose: false}); this.number = i; this.header = text(700); }
}
const tailedFiles = [];

exports.every = 8;
exports.leak = {classes: ['TailedFile'], owners: ['open-handle'], path: ['tailedFiles']};
exports.handle = async function tail(i, mended) {
  const file = new TailedFile(i);
  await new Promise((done) => file.once('open', done));
  if (mended) await new Promise((done) => { file.once('close', done); file.destroy(); });
  else tailedFiles.push(file);
};
