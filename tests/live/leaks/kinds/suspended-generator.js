// Generators that were begun and never finished. Mended: return() finishes them.
'use strict';
const {text} = require('../made.js');

class CursorPage {
  constructor(i) { this.number = i; this.rows = text(470); }
}
const openCursors = [];
function* pagesOf(i) {
  const page = new CursorPage(i);
  yield page.number;
  yield page.rows;
}

exports.leak = {classes: ['CursorPage', 'pagesOf'], owners: ['suspended-function', 'list'], path: ['openCursors']};
exports.handle = function read(i, mended) {
  const cursor = pagesOf(i);
  cursor.next();
  if (mended) cursor.return();
  else openCursors.push(cursor);
};
