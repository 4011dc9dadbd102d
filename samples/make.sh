#!/usr/bin/env bash
# Makes the samples again: real snapshots with planted fakes, and what is true about them.
#
# usage: samples/make.sh [NAME...]      (after tests/install)
#   NAME: helpdesk, page, desk-leak, page-leak; default: all
#
# Everything runs below a neutral folder with an empty environment, so that nothing of the machine gets in.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(dirname "$here")
# shellcheck source=tests/tools.sh
. "$project/tests/tools.sh"

place=/tmp/heapscrub-samples
rm -rf "$place"
mkdir -p "$place/bin" "$place/page"
trap 'rm -rf "$place"' EXIT
cp "$NODE20" "$place/bin/node"
cp -r "$here"/{helpdesk,desk-leak,page-leak} "$place/"
rm -f "$place"/*/{*.zst,truth.json}
cp "$project"/tests/live/producers/{chromium.cjs,page.html,app.cjs} "$place/page/"

# in_desk and in_browser ARGUMENTS...: Node with an environment of its own.
in_desk() { env -i HOME=/home/desk PATH=/usr/bin:/bin LANG=C.UTF-8 "$place/bin/node" "$@"; }
in_browser() {
  env -i HOME="$place" PATH=/usr/bin:/bin LANG=C.UTF-8 NPM_DIR="$NPM_DIR" CHROMIUM="$CHROMIUM" "$place/bin/node" "$@"
}

# keep FILE TO: packs FILE, unless a place of this machine is in it.
keep() {
  local words=(-e "$project/" -e "$HEAPSCRUB_TOOLS" -e "$NPM_DIR")
  [ "${#HOME}" -le 1 ] || words+=(-e "$HOME/")
  if grep -qF "${words[@]}" "$1"; then
    echo "a place of this machine is in $(basename "$1")" >&2
    exit 1
  fi
  zstd -q -19 -f "$1" -o "$2"
  chmod 644 "$2"
}

# keep_series NAME: the three snapshots of a sample that leaks, and its truth.
keep_series() {
  local number
  for number in 1 2 3; do
    keep "$place/$1/snapshot-$number.heapsnapshot" "$here/$1/snapshot-$number.heapsnapshot.zst"
  done
  cp "$place/$1/truth.json" "$here/$1/truth.json"
}

make_sample() {
  case "$1" in
    helpdesk)
      cd "$place/helpdesk"
      in_desk app.js ../helpdesk.heapsnapshot ../helpdesk.truth.json
      keep "$place/helpdesk.heapsnapshot" "$here/helpdesk.heapsnapshot.zst"
      cp "$place/helpdesk.truth.json" "$here/helpdesk.truth.json"
      ;;
    page)
      cd "$place/page"
      in_browser chromium.cjs "$place"
      keep "$place/chromium.heaptimeline" "$here/page.heaptimeline.zst"
      ;;
    desk-leak)
      cd "$place/desk-leak"
      in_desk --expose-gc app.js .
      keep_series desk-leak
      ;;
    page-leak)
      cd "$place/page-leak"
      in_browser take.cjs .
      keep_series page-leak
      ;;
    *) echo "no such sample: $1" >&2; exit 2 ;;
  esac
}

[ $# -gt 0 ] || set -- helpdesk page desk-leak page-leak
for name in "$@"; do make_sample "$name"; done
ls -l "$here" "$here"/{desk,page}-leak
