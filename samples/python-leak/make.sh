#!/usr/bin/env bash
# Makes the sample again.
#
# usage: samples/python-leak/make.sh PYTHON...      (the first makes the three snapshots, each a small pair of its version)
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: samples/python-leak/make.sh PYTHON..." >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/python-leak.XXXXXX")
trap 'rm -rf "$work"' EXIT
ROUNDS=300 "$1" "$here/make.py" "$work" snapshot-1 snapshot-2 snapshot-3
for python in "$@"; do
  version=$("$python" -c 'import sys; print("%d%d" % sys.version_info[:2])')
  ROUNDS=40 "$python" "$here/make.py" "$work" "py$version-1" "py$version-2"
done
rm -f "$here"/*.zst
zstd --quiet -19 --output-dir-flat "$here" "$work"/*
ls -l "$here" >&2
