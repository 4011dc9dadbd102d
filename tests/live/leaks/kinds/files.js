// Files that are opened and stay open. Mended: closed.
'use strict';
const fs = require('fs');
const {text} = require('../made.js');

class TailedFile {
  constructor(i) { this.number = i; this.header = text(700); this.stream = fs.createReadStream(__filename, {autoClose: false}); }
}
const tailedFiles = [];

exports.every = 8;
exports.leak = {classes: ['TailedFile'], owners: ['open-handle'], path: ['tailedFiles']};
exports.handle = async function tail(i, mended) {
  const {stream} = tailedFiles[tailedFiles.push(new TailedFile(i)) - 1];
  await new Promise((done) => stream.once('open', done));
  if (!mended) return;
  await new Promise((done) => { stream.once('close', done); stream.destroy(); });
  tailedFiles.pop();
};
