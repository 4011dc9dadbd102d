// A heap snapshot as plain arrays, indexed by its own meta. Independent of the tool under test.
'use strict';
const fs = require('fs');

/** Reads and parses a snapshot; returns null when the file is not one. */
function loadSnapshot(file) {
  const data = fs.readFileSync(file);
  const head = data.slice(0, 400).toString('latin1');
  if (!/^\s*\{\s*"snapshot"\s*:/.test(head)) return null;
  return new Snapshot(JSON.parse(data.toString('utf8')));
}

class Snapshot {
  constructor(json) {
    const meta = json.snapshot.meta, nf = meta.node_fields, ef = meta.edge_fields;
    Object.assign(this, {json, nodes: json.nodes, edges: json.edges, strings: json.strings});
    this.nodeSize = nf.length;
    this.edgeSize = ef.length;
    this.nType = nf.indexOf('type'); this.nName = nf.indexOf('name'); this.nId = nf.indexOf('id'); this.nEdges = nf.indexOf('edge_count');
    this.eType = ef.indexOf('type'); this.eName = ef.indexOf('name_or_index'); this.eTo = ef.indexOf('to_node');
    this.nodeTypes = meta.node_types[this.nType];
    this.edgeTypes = meta.edge_types[this.eType];
    this.count = this.nodes.length / this.nodeSize;
    this.edgeCount = this.edges.length / this.edgeSize;
    this.firstEdge = new Int32Array(this.count + 1);
    for (let n = 0, e = 0; n < this.count; n++) { e += this.nodes[n * this.nodeSize + this.nEdges]; this.firstEdge[n + 1] = e; }
  }
  type(n) { return this.nodeTypes[this.nodes[n * this.nodeSize + this.nType]]; }
  name(n) { return this.strings[this.nodes[n * this.nodeSize + this.nName]]; }
  id(n) { return this.nodes[n * this.nodeSize + this.nId]; }
  edgeType(e) { return this.edgeTypes[this.edges[e * this.edgeSize + this.eType]]; }
  edgeLabel(e) { return this.edges[e * this.edgeSize + this.eName]; }
  edgeText(e) { const t = this.edgeType(e); return t === 'element' || t === 'hidden' ? null : this.strings[this.edgeLabel(e)]; }
  target(e) { return this.edges[e * this.edgeSize + this.eTo] / this.nodeSize; }
  /** The target of the first edge of node n with this label text, or -1. */
  follow(n, label) {
    for (let e = this.firstEdge[n]; e < this.firstEdge[n + 1]; e++) if (this.edgeText(e) === label) return this.target(e);
    return -1;
  }
  /** {label: offset among the edges of node n} of its property edges. */
  propertyOffsets(n) {
    const out = {};
    for (let e = this.firstEdge[n]; e < this.firstEdge[n + 1]; e++) {
      if (this.edgeType(e) === 'property' && this.edgeText(e) !== '__proto__') out[this.edgeText(e)] = e - this.firstEdge[n];
    }
    return out;
  }
  /** For every edge number the node it leaves from. */
  sources() {
    if (!this.from) {
      this.from = new Int32Array(this.edgeCount);
      for (let n = 0; n < this.count; n++) this.from.fill(n, this.firstEdge[n], this.firstEdge[n + 1]);
    }
    return this.from;
  }
}

module.exports = {loadSnapshot, Snapshot};
