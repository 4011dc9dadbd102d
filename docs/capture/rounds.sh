#!/usr/bin/env bash
# Snapshots of a process at equal distances under steady load.
#
# usage: rounds.sh PID COUNT SECONDS COMMAND...     e.g. rounds.sh 4711 3 60 autocannon -d 60 http://localhost:3000/
#   Runs COMMAND once to warm the process up, then COUNT times; after each time it waits SECONDS, so that what is only slow
#   comes back, and sends SIGUSR2 to PID, which must run with node.cjs. Ends when the last snapshot is complete.
set -euo pipefail
[ $# -ge 4 ] || { sed -n '4p' "$0" >&2; exit 2; }
pid=$1 count=$2 seconds=$3
shift 3
place=${SNAPSHOT_DIR:-.}
"$@"
for ((n = 1; n <= count; n++)); do
  "$@"
  sleep "$seconds"
  kill -USR2 "$pid"
  until [ -s "$place/heap-$n.heapsnapshot" ]; do
    kill -0 "$pid" || { echo "the process ended" >&2; exit 1; }
    sleep 0.2
  done
done
