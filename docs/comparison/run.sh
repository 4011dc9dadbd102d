#!/usr/bin/env bash
# The figures of comparison.md: how many of the texts planted in a real snapshot are left after each tool, and does the file still open.
#
# usage: docs/comparison/run.sh     in a checkout; needs node 20, heapscrub in the path, and NPM_DIR with memlab in node_modules
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
project=${here%/docs/comparison}
canary=$project/tests/live/canary
work=$(mktemp -d "${TMPDIR:-/tmp}/heapscrub-compare.XXXXXX")
trap 'rm -rf "$work"' EXIT
node --expose-gc "$canary/plant_node.js" --seed 1 --out "$work/plant" > /dev/null
raw=$work/plant/canary.heapsnapshot

# left NAME FILE: what survives, and what memlab counts in it.
left() {
  local opens
  found=$(node "$canary/check.js" --truth "$work/plant/truth.json" --file "$2" | tail -n 1) || true
  opens=$(node "$project/tests/live/devtools/memlab_load.mjs" "$2" 2> /dev/null) || opens="does not open"
  printf '%-42s %s; %s\n' "$1" "$found" "$opens"
}

left "the raw snapshot" "$raw"
node "$NPM_DIR/node_modules/memlab/bin/memlab" anonymize --snapshot "$raw" --output "$work/memlab.heapsnapshot" > /dev/null 2>&1
left "memlab anonymize" "$work/memlab.heapsnapshot"
node "$project/docs/comparison/blank.cjs" "$raw" "$work/blank.heapsnapshot"
left "every string node blanked" "$work/blank.heapsnapshot"
for profile in balanced strict; do
  heapscrub scrub -q "$raw" -o "$work/$profile.heapsnapshot" --profile "$profile"
  left "heapscrub scrub --profile $profile" "$work/$profile.heapsnapshot"
done
case $found in 0\ *) ;; *) echo "strict left something" >&2; exit 1 ;; esac
