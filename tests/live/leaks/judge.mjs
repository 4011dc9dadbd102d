// Compares a report with what was planted. Pure functions, so that check_self.mjs can show that they notice wrong reports.

const CONFIDENCE = ['high', 'medium', 'low'];
// What may go on growing when every fault is mended: compiled code and the like.
const NOISE_BYTES = 200_000;

const wordsOf = (path) => path.steps.map((step) => [step.edge, step.class, step.name].filter((text) => text !== null && text !== undefined).join(' ')).join(' > ');

// What is wrong with the owner and paths of a row, which is one of `growers` or `holders`.
function ownerFaults(row, leak) {
  const faults = [];
  const {owner, paths} = row;
  if (!leak.owners.includes(owner?.kind)) faults.push(`owner is ${owner?.kind} (${owner?.confidence}), planted: ${leak.owners.join(' or ')}`);
  if (!CONFIDENCE.includes(owner?.confidence)) faults.push(`no confidence: ${owner?.confidence}`);
  if (!owner?.evidence?.length || owner.evidence.some((text) => !text)) faults.push('no evidence');
  for (const field of ['advice', 'before', 'after']) if (!owner?.[field]) faults.push(`no ${field}`);
  if (!paths?.length) return [...faults, 'no path'];
  const [first] = paths;
  const text = wordsOf(first);
  for (const word of leak.path) if (!text.includes(word)) faults.push(`the path does not tell of ${word}: ${text.slice(-500)}`);
  if (first.steps.at(-1)?.class !== row.class) faults.push(`the path ends at ${first.steps.at(-1)?.class}`);
  // A group of roots of the engine holds many things, and is no step of its own.
  const isRoot = row.holder?.class === '(synthetic)';
  if (!isRoot && !first.steps.some((step) => step.is_holder)) faults.push('no step is the holder');
  if (paths.some((path) => !(path.count > 0)) || first.count !== Math.max(...paths.map((path) => path.count))) faults.push('the first path is not the most frequent one');
  return faults;
}

function growerFaults(row, leak, truth) {
  const faults = [];
  // What hangs on a planted object and is named in its place may be there several times for each.
  const perRound = leak.per_round_of?.[row.class] ?? leak.per_round;
  const rounds = row.counts.slice(1).map((count, i) => count - row.counts[i]);
  if (row.counts.length !== truth.rounds || rounds.some((more) => more !== perRound)) faults.push(`grew by ${rounds.join(', ')} objects a round, planted: ${perRound}`);
  if (row.delta_count !== perRound * (truth.rounds - 1)) faults.push(`delta_count is ${row.delta_count}`);
  if (!row.monotone) faults.push('not monotone');
  if (!(row.delta_retained > 0) || !(row.share > 0 && row.share <= 1)) faults.push(`retains ${row.delta_retained} more, share ${row.share}`);
  // Retained sizes include what each object holds of its own: at least as much as the objects themselves.
  if (row.delta_retained < row.delta_shallow) faults.push(`retains less (${row.delta_retained}) than the objects have (${row.delta_shallow})`);
  const units = (truth.work.at(-1) - truth.work[0]) / (truth.rounds - 1);
  if (!(Math.abs(row.per_work - perRound / units) < 0.01)) faults.push(`${row.per_work} objects per unit of work, planted: ${perRound / units}`);
  if (!(row.bytes_per_work > 0)) faults.push('no bytes per unit of work');
  if (!row.holder?.class) faults.push('no holder');
  return [...faults, ...ownerFaults(row, leak)];
}

// Faults of the report on a series, as lines. `notes` says what is remarkable and no fault.
export function judgeLeaks(truth, report) {
  const faults = [];
  const notes = [];
  const growers = report.growers ?? [];
  const open = new Set(truth.leaks);
  const leakOf = (row) => truth.leaks.find((leak) => leak.classes.includes(row.class));
  for (const row of growers) {
    if (open.size === 0) break;
    const leak = leakOf(row);
    if (leak) open.delete(leak);
    else faults.push(`${row.class} (+${row.delta_retained} bytes) ranks above what was planted: ${[...open].map((l) => l.kind).join(', ')}`);
  }
  for (const leak of open) faults.push(`${leak.kind}: ${leak.classes.join(' or ')} is no grower`);
  for (const leak of truth.leaks) {
    const row = growers.find((grower) => leak.classes.includes(grower.class));
    if (row) faults.push(...growerFaults(row, leak, truth).map((fault) => `${leak.kind}: ${row.class}: ${fault}`));
  }
  const blamed = (name) => growers.findIndex((row) => row.class === name);
  for (const leak of truth.fixed) for (const name of leak.classes) if (blamed(name) >= 0) faults.push(`${leak.kind}: ${name} is mended, but still a grower`);
  const lastPlanted = growers.findLastIndex((row) => leakOf(row));
  for (const [name, {late, why}] of Object.entries(truth.healthy)) {
    const at = blamed(name);
    if (at < 0) continue;
    if (!late) faults.push(`${name} is blamed, but healthy: ${why}`);
    else if (growers[at].monotone) faults.push(`${name} is told to grow all the time, but: ${why}`);
    else if (at < lastPlanted) faults.push(`${name} ranks above a leak, but: ${why}`);
    else notes.push(`${name} is a grower of rank ${at + 1}, not monotone`);
  }
  // What else grows is the engine's business: no owner must be named for sure, and without leaks it must be little.
  const others = growers.filter((row) => !leakOf(row) && !truth.healthy[row.class]);
  for (const row of others) {
    const {kind, confidence, name} = row.owner ?? {};
    const text = row.paths?.length ? wordsOf(row.paths[0]) : '';
    // Something else that hangs on a planted leak: its functions, its buffers.
    if (truth.leaks.some((leak) => leak.path.length && leak.path.every((word) => text.includes(word)))) continue;
    if (kind !== 'unknown' && confidence !== 'low') faults.push(`${row.class} was not planted, but is said to be kept by ${kind} ${name ?? ''} (${confidence})`);
    const held = row.holder?.retained?.length ? row.holder.retained.at(-1) - row.holder.retained[0] : Infinity;
    const grew = Math.min(held, row.delta_retained);
    if (truth.leaks.length === 0 && grew > NOISE_BYTES) faults.push(`${row.class} is a grower of ${grew} bytes, but nothing was planted`);
  }
  if (others.length) notes.push(`${others.length} other growers`);
  const shares = growers.reduce((sum, row) => sum + row.share, 0);
  if (shares > 1.0001) faults.push(`shares add up to ${shares}`);
  return {faults, notes};
}

// Faults of the report on a single snapshot: every planted family is there, with its owner.
export function judgeOwners(truth, report, at = 0) {
  const faults = [];
  if (report.growers?.length) faults.push('growers, although there is one snapshot');
  const holders = report.holders ?? [];
  for (let i = 1; i < holders.length; i++) if (holders[i].retained > holders[i - 1].retained) faults.push(`${holders[i].class} is out of order`);
  for (const leak of truth.leaks) {
    const row = leak.classes.map((name) => holders.find((holder) => holder.class === name)).find(Boolean);
    if (!row) {
      faults.push(`${leak.kind}: ${leak.classes.join(' or ')} is no holder`);
      continue;
    }
    const more = row.count - leak.counts[at];
    if (row.class === leak.classes[0] ? more !== 0 : more < 0) faults.push(`${leak.kind}: ${row.count} of ${row.class}, planted: ${leak.counts[at]}`);
    faults.push(...ownerFaults(row, leak).map((fault) => `${leak.kind}: ${row.class}: ${fault}`));
  }
  return {faults, notes: []};
}
