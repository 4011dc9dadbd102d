#!/usr/bin/env bash
# Makes the samples again: real snapshots with planted fakes, and the list of the fakes.
#
# usage: samples/make.sh      (after tests/install)
#
# Everything runs below a neutral folder with an empty environment, so that nothing of the machine gets in.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tools.sh
. "$here/../tests/tools.sh"

place=/tmp/heapscrub-samples
rm -rf "$place"
mkdir -p "$place/bin" "$place/page"
trap 'rm -rf "$place"' EXIT
cp "$NODE20" "$place/bin/node"
cp -r "$here/helpdesk" "$place/helpdesk"
cp "$here"/../tests/live/producers/{chromium.cjs,page.html,app.cjs} "$place/page/"

cd "$place/helpdesk"
env -i HOME=/home/desk PATH=/usr/bin:/bin LANG=C.UTF-8 \
  "$place/bin/node" app.js ../helpdesk.heapsnapshot ../helpdesk.truth.json
cd "$place/page"
env -i HOME="$place" PATH=/usr/bin:/bin LANG=C.UTF-8 NPM_DIR="$NPM_DIR" CHROMIUM="$CHROMIUM" \
  "$place/bin/node" chromium.cjs "$place"
zstd -q -19 -f "$place/helpdesk.heapsnapshot" -o "$here/helpdesk.heapsnapshot.zst"
zstd -q -19 -f "$place/chromium.heaptimeline" -o "$here/page.heaptimeline.zst"
chmod 644 "$here"/*.zst
cp "$place/helpdesk.truth.json" "$here/helpdesk.truth.json"
ls -l "$here"
