// Class tables and comparisons as DevTools computes them, as plain data; and the same out of report.json.

// Rows of the summary view by DevTools' own key: place of the class (objects only), then its name.
function rows(aggregates) {
  const table = new Map();
  for (const [key, {name, count, self, maxRet, distance}] of Object.entries(aggregates)) table.set(key, {name, count, shallow: self, retained: maxRet, distance});
  return table;
}

export function classTable(snapshot) {
  return rows(snapshot.aggregatesWithFilter({}));
}

// Shapes of plain objects come from the newest snapshot, for all of a series, as in the Comparison view.
export function classTableWithShapes(snapshot, newest) {
  const shapes = newest.interfaceDefinitions();
  if (snapshot.interfaceDefinitions() !== shapes) snapshot.applyInterfaceDefinitions(JSON.parse(shapes));
  return classTable(snapshot);
}

// Objects that came and went, by class: the Comparison view. Rows without any are left out there.
export function comparison(base, newest) {
  const table = new Map();
  for (const [key, diff] of Object.entries(newest.calculateSnapshotDiff('base', base.aggregatesForDiff(newest.interfaceDefinitions())))) {
    table.set(key, {added: diff.addedCount, removed: diff.removedCount});
  }
  return table;
}

export function keyOf({class: name, location}) {
  return (location ? `${location.script_id},${location.line - 1},${location.column - 1}` : '') + ',' + name;
}

// Rows of report.json for one of its snapshots (from 0), and the faults of the list itself.
export function reportTable(report, at) {
  const table = new Map();
  const faults = [];
  const isLast = at === report.inputs.length - 1;
  for (const row of report.classes) {
    const key = keyOf(row);
    for (const list of ['counts', 'shallows', 'retaineds']) if (row[list]?.length !== report.inputs.length) faults.push(`${key}: ${list} is not one number for each snapshot`);
    if (isLast && (row.count !== row.counts.at(-1) || row.shallow !== row.shallows.at(-1) || row.retained !== row.retaineds.at(-1))) faults.push(`${key}: not the numbers of the last snapshot`);
    if (!row.counts[at]) continue; // not in this snapshot
    if (table.has(key)) faults.push(`${key}: two rows`);
    table.set(key, {name: row.class, count: row.counts[at], shallow: row.shallows[at], retained: row.retaineds[at], ...(isLast ? {distance: row.distance} : {})});
  }
  if (report.classes_left_out !== 0) faults.push(`${report.classes_left_out} classes are left out`);
  return {table, faults};
}

// Objects that came and went, as report.json has it: only rows in which there are any.
export function reportComparison(report) {
  const table = new Map();
  const faults = [];
  for (const row of report.classes) {
    const key = keyOf(row);
    const [first, last] = [0, report.inputs.length - 1];
    if (!Number.isInteger(row.added) || !Number.isInteger(row.removed)) {
      faults.push(`${key}: added and removed are missing`);
      continue;
    }
    for (const [delta, list] of [['delta_count', 'counts'], ['delta_shallow', 'shallows'], ['delta_retained', 'retaineds']]) {
      if (row[delta] !== row[list][last] - row[list][first]) faults.push(`${key}: ${delta} is not the difference of ${list}`);
    }
    if (row.added - row.removed !== row.delta_count) faults.push(`${key}: ${row.added} added and ${row.removed} removed, but ${row.delta_count} more`);
    if (row.new !== (row.counts[first] === 0 && row.counts[last] > 0)) faults.push(`${key}: new is ${row.new}`);
    if (row.added || row.removed) table.set(key, {added: row.added, removed: row.removed});
  }
  return {table, faults};
}

// Every difference of two tables, as lines; only what the first one has in a row is compared.
export function differences(theirs, ours) {
  const found = [];
  const brief = (row) => JSON.stringify(row).slice(0, 160);
  for (const [key, row] of theirs) {
    const own = ours.get(key);
    if (!own) found.push(`${key.slice(0, 120)}: missing; DevTools has ${brief(row)}`);
    else if (Object.keys(own).some((field) => own[field] !== row[field])) found.push(`${key.slice(0, 120)}: ${brief(own)}, DevTools has ${brief(row)}`);
  }
  for (const [key, row] of ours) if (!theirs.has(key)) found.push(`${key.slice(0, 120)}: DevTools has no such row; ours ${brief(row)}`);
  return found;
}
