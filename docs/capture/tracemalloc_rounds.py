"""Memory of a Python program: snapshots of tracemalloc and memory over time.

    python tracemalloc_rounds.py OUTDIR work.py [ROUNDS]

work.py has a function `round()` that does one round of steady work. Each round collects garbage, writes heap-N.tracemalloc and a
line of memory.csv. tracemalloc knows where memory was allocated (files and lines), and holds no values.
"""
import csv, gc, importlib.util, os, sys, time, tracemalloc

place, file, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 3
os.umask(0o077)
tracemalloc.start(25)
spec = importlib.util.spec_from_file_location("work", file)
work = importlib.util.module_from_spec(spec)
spec.loader.exec_module(work)
work.round()
with open(os.path.join(place, "memory.csv"), "w", newline="") as out:
    rows = csv.writer(out)
    rows.writerow(["time_s", "traced_bytes", "rss_bytes"])
    for number in range(1, rounds + 1):
        work.round()
        gc.collect()
        tracemalloc.take_snapshot().dump(os.path.join(place, f"heap-{number}.tracemalloc"))
        with open("/proc/self/statm") as statm:
            rss = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        rows.writerow([f"{time.monotonic():.3f}", tracemalloc.get_traced_memory()[0], rss])
        out.flush()
