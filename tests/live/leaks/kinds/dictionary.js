// A plain object as a table: sessions by id, never deleted. Mended: deleted when the session ends.
'use strict';
const {text, random} = require('../made.js');

class DeskSession {
  constructor(i) { this.number = i; this.notes = text(380); }
}
const sessionsById = {};

exports.leak = {classes: ['DeskSession'], owners: ['dictionary'], path: ['sessionsById']};
exports.handle = function openSession(i, mended) {
  const id = 's' + i + 'x' + random(100000).toString(36);
  sessionsById[id] = new DeskSession(i);
  if (mended) delete sessionsById[id];
};
