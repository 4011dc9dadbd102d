#!/usr/bin/env bash
# Makes the vocabulary again: the names that runtimes and browsers bring along themselves.
#
# usage: rules/vocabulary/make.sh      (after tests/install --full)
#
# Every runtime runs twice, in different folders, with different environments and file names.
# Only names present in both runs are kept, so that nothing of the machine gets in.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools.sh
. "$here/../../tests/tools.sh" --full

work=$(mktemp -d "${TMPDIR:-/tmp}/vocabulary.XXXXXX")
trap 'rm -rf "$work"' EXIT

# bare RUN COMMAND...: runs a command with an environment that holds nothing of this machine.
bare() {
  local run=$1 home
  shift
  if [ "$run" = 1 ]; then
    home=$work/1/places/first
    set -- env -i "HOME=$home" USER=quill LOGNAME=quill HOSTNAME=one.example "PATH=/usr/bin:/bin" LANG=C.UTF-8 "ORCHARD=$home/x" "$@"
  else
    home=$work/2/elsewhere/a/b
    set -- env -i "HOME=$home" USER=tansy LOGNAME=tansy HOSTNAME=two.example "PATH=/bin:/usr/bin:$home" LANG=C.UTF-8 "RIVERBED=$home/y" "$@"
  fi
  (cd "$home" && timeout 240 "$@")
}

# step NAME COMMAND...: runs a command quietly; its output is shown only when it fails.
step() {
  local name=$1
  shift
  if ! "$@" > "$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "failed: $name" >&2
    exit 1
  fi
  echo "done: $name" >&2
}

for run in 1 2; do
  [ "$run" = 1 ] && home=$work/1/places/first || home=$work/2/elsewhere/a/b
  out=$work/out$run
  mkdir -p "$home/profile" "$out"
  for kind in node.cjs deno.mjs bun.mjs; do cp "$here/bare/$kind" "$home/file$run-$kind"; done
  cp "$here/bare/values.js" "$home/kinds$run.js"
  cp "$here/bare/page.html" "$here/bare/values.js" "$home/profile/"
  for major in 14 16 18 20 22 24 26; do
    node=NODE$major
    arguments=("$home/file$run-node.cjs" "$out/node$major" "$home/kinds$run.js")
    step "node $major, run $run" bare "$run" "${!node}" --no-warnings "${arguments[@]}"
    # Eager compilation makes the names of inner functions visible too.
    arguments[1]=$out/node$major.eager
    step "node $major eager, run $run" bare "$run" "${!node}" --no-warnings --no-lazy --no-flush-bytecode "${arguments[@]}"
  done
  step "deno, run $run" bare "$run" "$DENO" run -A "$home/file$run-deno.mjs" "$out/deno" "$home/kinds$run.js"
  step "bun, run $run" bare "$run" "$BUN" run "$home/file$run-bun.mjs" "$out/bun" "$home/kinds$run.js"
  step "chromium, run $run" bare "$run" env "NPM_DIR=$NPM_DIR" "CHROMIUM=$CHROMIUM" "$NODE20" "$here/bare/chromium.cjs" "$out/chromium" "$home/profile"
done
"$NODE20" --max-old-space-size=4000 "$here/make.mjs" "$work/out1" "$work/out2" "$here"
