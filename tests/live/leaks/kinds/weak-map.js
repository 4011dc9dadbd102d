// A WeakMap whose keys are all kept in a list. Mended: nobody keeps them, and the entries go, although values refer to keys.
'use strict';
const {text} = require('../made.js');

class KnownNode {
  constructor(i) { this.number = i; this.tag = 'node'; }
}
class NodeDetail {
  constructor(node) { this.node = node; this.markup = text(530); }
}
const detailsByNode = new WeakMap();
const knownNodes = [];

exports.leak = {classes: ['NodeDetail', 'KnownNode'], owners: ['weak-map', 'list'], path: ['knownNodes']};
exports.handle = function describe(i, mended) {
  const node = new KnownNode(i);
  detailsByNode.set(node, new NodeDetail(node));
  if (!mended) knownNodes.push(node);
};
