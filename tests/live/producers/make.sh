#!/usr/bin/env bash
# Makes a real snapshot file of every producer, each from the same sample app.
#
# usage: tests/live/producers/make.sh OUTDIR [--full]      (after tests/install [--full])
#   default: Node 18, 20, 24, Chromium, and allocation timelines of Node 20 and Chromium
#   --full:  also Node 14, 16, 22, 26, Deno and Bun
# Prints one line per file. A producer that fails, or writes an empty file, is an error.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { echo "usage: make.sh OUTDIR [--full]" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
full=${2:-}
# shellcheck source=tests/tools.sh
. "$here/../../tools.sh" "$full"

made() {
  local name
  for name in "$@"; do
    [ -s "$out/$name" ] || { echo "no file: $name" >&2; exit 1; }
    printf '%s %s bytes\n' "$name" "$(stat -c %s "$out/$name")"
  done
}

majors=(18 20 24)
[ "$full" != --full ] || majors=(14 16 18 20 22 24 26)
rm -f "$out"/{node,chromium,deno,bun}*.heap{snapshot,timeline}
for major in "${majors[@]}"; do
  node=NODE$major
  "${!node}" "$here/node.cjs" "$out/node$major.heapsnapshot"
  made "node$major.heapsnapshot"
done
"$NODE20" "$here/node.cjs" "$out/node20.numeric.heapsnapshot" --numeric
"$NODE20" "$here/node_timeline.cjs" "$out/node20.heaptimeline"
made node20.numeric.heapsnapshot node20.heaptimeline
"$NODE20" "$here/chromium.cjs" "$out"
made chromium.heapsnapshot chromium.numeric.heapsnapshot chromium.heaptimeline
if [ "$full" = --full ]; then
  DENO_NO_UPDATE_CHECK=1 "$DENO" run -A "$here/deno.mjs" "$out/deno.heapsnapshot"
  "$BUN" run "$here/bun.mjs" "$out/bun.heapsnapshot"
  made deno.heapsnapshot bun.heapsnapshot
fi
