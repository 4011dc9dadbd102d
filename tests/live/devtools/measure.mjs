// What DevTools computed for a loaded snapshot, as plain arrays and numbers.

// One array per quantity that DevTools shows, indexed by node.
export function perNode(snapshot) {
  const count = snapshot.nodeCount;
  const result = {
    id: new Float64Array(count), type: new Uint8Array(count), 'self size': new Float64Array(count),
    'edge count': new Uint32Array(count), distance: Int32Array.from(snapshot.nodeDistances),
    dominator: new Uint32Array(count), 'retained size': Float64Array.from(snapshot.retainedSizes), detachedness: new Uint8Array(count),
  };
  const node = snapshot.createNode(0);
  for (let ordinal = 0; ordinal < count; ordinal++) {
    node.nodeIndex = ordinal * snapshot.nodeFieldCount;
    result.id[ordinal] = node.id();
    result.type[ordinal] = node.rawType();
    result['self size'][ordinal] = node.selfSize();
    result['edge count'][ordinal] = node.edgesCount();
    result.dominator[ordinal] = node.dominatorIndex() / snapshot.nodeFieldCount;
    result.detachedness[ordinal] = node.detachedness?.() ?? 0;
  }
  return result;
}

export function totals(snapshot) {
  const fixed = snapshot.updateStaticData();
  return {
    nodes: snapshot.nodeCount,
    edges: snapshot.containmentEdges.length / snapshot.edgeFieldsCount,
    strings: snapshot.strings.length,
    totalSize: fixed.totalSize,
    rootIndex: snapshot.rootNodeIndex,
    maxNodeId: fixed.maxJSObjectId,
    statistics: snapshot.getStatistics(),
    classRows: Object.keys(snapshot.aggregatesWithFilter({})).length,
    samples: snapshot.getSamples()?.timestamps.length ?? 0,
    locations: snapshot.profile?.locations?.length ?? 0,
  };
}

// Type of every edge, and the targets of each node in one order: scrubbing changes names, and the order in which a node
// refers to strings of one letter.
export function edgeArrays(snapshot) {
  const edges = snapshot.containmentEdges;
  const width = snapshot.edgeFieldsCount;
  const [typeAt, targetAt] = ['type', 'to_node'].map((field) => snapshot.profile.snapshot.meta.edge_fields.indexOf(field));
  const count = edges.length / width;
  const result = {type: new Uint8Array(count), target: new Uint32Array(count)};
  for (let edge = 0; edge < count; edge++) {
    result.type[edge] = edges.getValue(edge * width + typeAt);
    result.target[edge] = edges.getValue(edge * width + targetAt) / snapshot.nodeFieldCount;
  }
  const first = snapshot.firstEdgeIndexes;
  for (let node = 0; node + 1 < first.length; node++) result.target.subarray(first[node] / width, first[node + 1] / width).sort();
  return result;
}
