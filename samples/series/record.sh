#!/usr/bin/env bash
# Records series of memory over time of three small services, with the tools that people use for it.
#
# usage: samples/series/record.sh DIR [SECONDS]      (after tests/install; needs python3 with psutil and memory_profiler,
#                                                     and java)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
to=$1
seconds=${2:-60}
mkdir -p "$to/classes"
python=${PYTHON:-python3}
node=${NODE20:-node}

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
  "$python" - "$1" "$2" <<'PY'
import csv, sys, time
import psutil
process, start = psutil.Process(int(sys.argv[1])), time.time()
with open(sys.argv[2], "w", newline="") as out:
    rows = csv.writer(out)
    rows.writerow(["timestamp", "pid", "rss_mb", "vms_mb", "uss_mb", "cpu_percent"])
    while True:
        try:
            info = process.memory_full_info()
            cpu = process.cpu_percent()
        except psutil.Error:
            break
        rows.writerow([f"{time.time():.3f}", process.pid] + [f"{v / 1048576:.3f}" for v in (info.rss, info.vms, info.uss)] + [cpu])
        time.sleep(0.25)
PY
}

for mode in leak cache warm flat native; do
  "$node" --trace-gc --expose-gc "$here/work.cjs" $mode "$seconds" "$to/node-$mode-full.jsonl" full >"$to/node-$mode-full.gc.log" &
  "$node" --trace-gc --max-semi-space-size=1 "$here/work.cjs" $mode "$seconds" "$to/node-$mode.jsonl" >"$to/node-$mode.gc.log" &
done
wait
for mode in leak cache warm flat; do
  "$python" "$here/work.py" $mode "$seconds" --customer=erika &
  pid=$!
  watch $pid "python-$mode" &
  psutil_of $pid "$to/python-$mode.csv" &
  { sleep 2; pmap -x $pid >"$to/python-$mode.pmap-1"; sleep $((seconds - 6)); pmap -x $pid >"$to/python-$mode.pmap-2"; } &
  (cd "$to" && "$python" -m mprof run -T 0.25 -o "$to/python-$mode.dat" "$python" "$here/work.py" $mode "$seconds" --customer=erika) >/dev/null 2>&1 &
done
wait
javac -d "$to/classes" "$here/Work.java"
record_java() { # NAME MODE FLAGS...
  local name=$1 mode=$2
  shift 2
  java "$@" -Xlog:gc:file="$to/java-$name-$mode.gc.log" -cp "$to/classes" Work "$mode" "$seconds" 30 4000 &
}
for mode in leak cache warm flat near; do
  record_java serial $mode -XX:+UseSerialGC -Xmx24m
  record_java parallel $mode -XX:+UseParallelGC -Xmx24m
  wait
done
for mode in leak cache flat near; do
  record_java g1 $mode -XX:+UseG1GC -Xmx48m
  record_java z $mode -XX:+UseZGC -Xmx64m
  record_java shenandoah $mode -XX:+UseShenandoahGC -Xmx48m
  wait
done
