// Steps that can be undone, each with a reference to the one before. Mended: the oldest ones are cut off.
'use strict';
const {text} = require('../made.js');

class UndoStep {
  constructor(i, previous) { this.number = i; this.state = text(360); this.previous = previous; }
}
let newestStep = null;

exports.leak = {classes: ['UndoStep'], owners: ['linked-list'], path: ['newestStep', 'previous']};
exports.handle = function change(i, mended) {
  newestStep = new UndoStep(i, newestStep);
  if (!mended) return;
  let step = newestStep;
  for (let kept = 1; step.previous && kept < 20; kept++) step = step.previous;
  step.previous = null;
};
