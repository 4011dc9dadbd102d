// Each request wraps the function before in one more. Mended: the function is replaced, not wrapped.
'use strict';
const {text} = require('../made.js');

class WrappedStep {
  constructor(i) { this.number = i; this.rule = text(330); }
}
const plain = (value) => value;
let applyRules = plain;

exports.leak = {classes: ['WrappedStep'], owners: ['closure'], path: ['applyRules', 'runStep']};
exports.handle = function addRule(i, mended) {
  const before = mended ? plain : applyRules;
  const step = new WrappedStep(i);
  applyRules = function runStep(value) { return before(value + step.rule.length); };
};
