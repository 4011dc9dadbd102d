#!/usr/bin/env bash
# Makes the vocabulary of Python again: files of bare interpreters, and modules of public packages.
#
# usage: rules/vocabulary/make_python.sh PYTHON...      (interpreters of all versions that shall be known)
#
# The packages are those of bare/python_packages.in; they are fetched with pip of the last interpreter, not installed.
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: rules/vocabulary/make_python.sh PYTHON..." >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/vocabulary.XXXXXX")
trap 'rm -rf "$work"' EXIT

for python in "$@"; do
  env -i "$python" -I -S "$here/bare/python.py" > "$work/names"
  cat "$work/names" >> "$work/all"
  echo "$("$python" -c 'import sys; print(sys.version.split()[0])'): $(wc -l < "$work/names") names" >&2
done
LC_ALL=C sort -u "$work/all" > "$here/python_files.txt"
wheels=${PYTHON_WHEELS:-$work/wheels}
if [ -z "${PYTHON_WHEELS:-}" ]; then
  grep -v '^#' "$here/bare/python_packages.in" |
    xargs -n 12 "${@: -1}" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: -d "$wheels"
fi
"${@: -1}" "$here/bare/python_packages.py" "$wheels" | LC_ALL=C sort -u > "$here/python_packages.txt"
wc -l "$here"/python_*.txt >&2
