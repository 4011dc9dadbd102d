#!/usr/bin/env bash
# Records series of memory over time of small services, with the tools that people use for it.
#
# usage: samples/series/record.sh DIR SECONDS [KIND...]
#   KIND: node, python, java, prometheus; default: all
#   NODE20, PYTHON (with psutil and memory_profiler), PROMETHEUS: which programs to use; java and javac from the path
#
# Everything runs below a neutral folder, so that no command line names a place of the machine.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
to=$(cd "$1" && pwd)
seconds=$2
shift 2
[ $# -gt 0 ] || set -- node python java prometheus
node=${NODE20:-node}
prometheus=${PROMETHEUS:-prometheus}

place=/tmp/heapscrub-series
rm -rf "$place"
mkdir -p "$place"
trap 'rm -rf "$place"' EXIT
cp "$here"/{work.cjs,metrics.cjs,work.py,Work.java} "$place/"
cd "$place"
# The name python, wherever it is.
PATH=$(dirname "$(command -v "${PYTHON:-python3}")"):$PATH

# watch PID NAME: the ways to look at a process from outside, each into its own file.
watch() {
  local pid=$1 name=$2
  while kill -0 "$pid" 2>/dev/null; do
    { date -Is; ps -o pid,rss,vsz,args -p "$pid"; } >>"$to/$name.ps.log" 2>/dev/null || true
    { echo "# $(date -Is)"; cat "/proc/$pid/status"; } >>"$to/$name.status.log" 2>/dev/null || true
    { echo "# $(date -Is)"; cat "/proc/$pid/smaps_rollup"; } >>"$to/$name.smaps.log" 2>/dev/null || true
    sleep 0.4
  done
}

psutil_of() {
  python - "$1" "$2" <<'PY'
import csv, sys, time
import psutil
process = psutil.Process(int(sys.argv[1]))
with open(sys.argv[2], "w", newline="") as out:
    rows = csv.writer(out)
    rows.writerow(["timestamp", "pid", "rss_mb", "vms_mb", "uss_mb", "cpu_percent"])
    while True:
        try:
            info, cpu = process.memory_full_info(), process.cpu_percent()
        except psutil.Error:
            break
        sizes = [f"{value / 1048576:.3f}" for value in (info.rss, info.vms, info.uss)]
        rows.writerow([f"{time.time():.3f}", process.pid, *sizes, cpu])
        time.sleep(0.25)
PY
}

record_node() {
  local mode
  for mode in leak cache warm flat native; do
    "$node" --trace-gc --expose-gc work.cjs $mode "$seconds" "$to/node-$mode-full.jsonl" full >"$to/node-$mode-full.gc.log" &
    "$node" --trace-gc --max-semi-space-size=1 work.cjs $mode "$seconds" "$to/node-$mode.jsonl" >"$to/node-$mode.gc.log" &
  done
  wait
}

record_python() {
  local mode pid
  for mode in leak cache warm flat; do
    rm -f "$to/python-$mode".*
    python work.py $mode "$seconds" --customer=erika &
    pid=$!
    watch $pid "python-$mode" &
    psutil_of $pid "$to/python-$mode.csv" &
    { sleep 2; pmap -x $pid >"$to/python-$mode.pmap-1"; sleep $((seconds - 6)); pmap -x $pid >"$to/python-$mode.pmap-2"; } &
    mprof run -T 0.25 -o "$to/python-$mode.dat" python work.py $mode "$seconds" --customer=erika >/dev/null 2>&1 &
  done
  wait
}

record_java() {
  local mode
  javac -d classes Work.java
  one() { # NAME MODE FLAGS...
    local name=$1 mode=$2
    shift 2
    java "$@" -Xlog:gc:file="$to/java-$name-$mode.gc.log" -cp classes Work "$mode" "$seconds" 30 4000 &
  }
  for mode in leak cache warm flat near; do
    one serial $mode -XX:+UseSerialGC -Xmx24m
    one parallel $mode -XX:+UseParallelGC -Xmx24m
    wait
  done
  for mode in leak cache flat near; do
    one g1 $mode -XX:+UseG1GC -Xmx48m
    one z $mode -XX:+UseZGC -Xmx64m
    one shenandoah $mode -XX:+UseShenandoahGC -Xmx48m
    wait
  done
}

record_prometheus() {
  local pids start query
  "$node" --expose-gc metrics.cjs leak 9311 &
  pids=$!
  "$node" --expose-gc metrics.cjs flat 9312 &
  pids="$pids $!"
  cat >prometheus.yml <<'YML'
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: desk
    static_configs:
      - { targets: ['127.0.0.1:9311'], labels: { tenant: erika-shop } }
      - { targets: ['127.0.0.1:9312'], labels: { tenant: other } }
YML
  "$prometheus" --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address=127.0.0.1:9399 2>/dev/null &
  pids="$pids $!"
  start=$(date +%s)
  sleep "$seconds"
  query='{__name__=~"process_resident_memory_bytes|nodejs_.*|http_requests_total",job="desk"}'
  curl -sG http://127.0.0.1:9399/api/v1/query_range --data-urlencode "query=$query" \
    -d start=$((start + 3)) -d end="$(date +%s)" -d step=1 >"$to/prometheus.json"
  # shellcheck disable=SC2086
  kill $pids
  wait || true
}

for kind in "$@"; do "record_$kind"; done
