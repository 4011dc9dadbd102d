// A list that became a property of the global object. Mended: only the last one is kept.
'use strict';
const {text} = require('../made.js');

class GlobalReport {
  constructor(i) { this.number = i; this.body = text(500); }
}
globalThis.recentReports = [];

exports.leak = {classes: ['GlobalReport'], owners: ['global'], path: ['recentReports']};
exports.handle = function report(i, mended) {
  globalThis.recentReports.push(new GlobalReport(i));
  if (mended) globalThis.recentReports.splice(0, globalThis.recentReports.length - 1);
};
