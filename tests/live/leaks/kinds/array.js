// An array of a module that is only pushed to. Mended: written out when it is long.
'use strict';
const {text} = require('../made.js');

class TranscriptLine {
  constructor(i) { this.number = i; this.role = i & 1 ? 'user' : 'assistant'; this.content = text(350); }
}
const auditLog = [];

exports.leak = {classes: ['TranscriptLine'], owners: ['list'], path: ['auditLog']};
exports.handle = function note(i, mended) {
  auditLog.push(new TranscriptLine(i));
  if (mended && auditLog.length >= 20) auditLog.splice(0);
};
