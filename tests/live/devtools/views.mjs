// What DevTools' special views compute from names, as numbers only (see NAMES.md).

const FILTERS = ['objectsRetainedByContexts', 'objectsRetainedByDetachedDomNodes', 'objectsRetainedByConsole', 'objectsRetainedByEventHandlers'];

// Nodes and bytes that a filter of the summary view leaves.
function filtered(snapshot, filterName) {
  let count = 0;
  let size = 0;
  for (const row of Object.values(snapshot.aggregatesWithFilter({filterName}))) {
    count += row.count;
    size += row.self;
  }
  return {count, size};
}

export function views(snapshot) {
  const result = Object.fromEntries(FILTERS.map((name) => [name, filtered(snapshot, name)]));
  const {nativeContexts, sharedSize, noAttributionSize} = snapshot.getNativeContextSizes();
  result.nativeContexts = {sizes: nativeContexts.map(({nodeId, attributedSize, retainedSize}) => [nodeId, attributedSize, retainedSize]), sharedSize, noAttributionSize};
  result.closureScopes = snapshot.getRetainedByContextSummary();
  const {scopes, scriptsWithoutScopes} = snapshot.analyzeContexts();
  result.unusedVariables = {
    scopes: scopes.map(({scopeInfoNodeId, scriptNodeId, scopeStart, scopeEnd, contexts}) => [
      scopeInfoNodeId, scriptNodeId, scopeStart, scopeEnd,
      contexts.map(({contextNodeId, deadFields}) => [contextNodeId, deadFields.map(({valueNodeId, retainedSize}) => [valueNodeId, retainedSize])]),
    ]),
    without: scriptsWithoutScopes.map(({scriptNodeId, contextCount}) => [scriptNodeId, contextCount]),
  };
  return result;
}

// Equal texts may become equal placeholders or not; how many strings have a double is told, not judged.
export function duplicatedStrings(snapshot) {
  return filtered(snapshot, 'duplicatedStrings');
}
