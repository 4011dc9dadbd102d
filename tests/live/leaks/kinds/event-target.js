// Listeners of an event target that lives for ever. Mended: removed at the end of the request.
'use strict';
const {text} = require('../made.js');

class ThemeContext {
  constructor(i) { this.number = i; this.palette = text(390); }
}
// Node 14 has event targets behind a flag only.
exports.available = typeof EventTarget === 'function';
const settingsTarget = exports.available ? new EventTarget() : null;
if (settingsTarget) require('events').setMaxListeners && require('events').setMaxListeners(0, settingsTarget);

exports.leak = {classes: ['ThemeContext'], owners: ['event-target'], path: ['settingsTarget', 'applyTheme']};
exports.handle = function show(i, mended) {
  const context = new ThemeContext(i);
  function applyTheme() { return context.palette; }
  settingsTarget.addEventListener('theme', applyTheme);
  if (mended) settingsTarget.removeEventListener('theme', applyTheme);
};
