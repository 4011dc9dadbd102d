// A list of functions, each of which keeps the rows it could export. Mended: it keeps their number only.
'use strict';
const {text} = require('../made.js');

class ReportRows {
  constructor(i) { this.number = i; this.rows = text(450); }
}
const pendingExports = [];

exports.leak = {classes: ['ReportRows'], owners: ['closure', 'list', 'queue'], path: ['pendingExports', 'exportRows']};
exports.handle = function prepare(i, mended) {
  const report = new ReportRows(i);
  if (mended) {
    const count = report.rows.length;
    pendingExports[i % 20] = function exportCount() { return count; };
  } else {
    pendingExports.push(function exportRows() { return report.rows; });
  }
};
