"""Makes the sample: three snapshots of tracemalloc of a program that leaks, and what Python itself computes of them.

usage: python make.py OUTDIR NAME...      (one snapshot for each name; the truth goes to NAME-of-the-last.truth.json)

All names are invented: the program is compiled under paths of a made-up machine, and paths of this one are replaced
before the snapshots are dumped. Sizes are those of the interpreter that runs it.
"""
import gc
import json
import os
import sys
import sysconfig
import tracemalloc

HOME = "/home/marisol.quintero/work/orchard-ledger"
WINDOWS = "C:\\Users\\tomas.brandvold\\orchard-ledger\\jobs.py"
PACKAGES = HOME + "/.venv/lib/python3/site-packages"

# file: its source. A cache of requests that is never emptied leaks; the ring does not.
FILES = {
    PACKAGES + "/requests/models.py": """
def answer(n):
    return {"status": 200, "body": "x" * (200 + n % 7)}
""",
    PACKAGES + "/orchard_vault/store.py": """
from collections import OrderedDict
rows = OrderedDict()
def put(n, value):
    rows[n] = [value, bytes(64 + n % 5)]
""",
    WINDOWS: """
ring = {}
def turn(n):
    ring[n % 50] = bytes(300)
""",
    HOME + "/ledger/app.py": """
import json
kept = []
def handle(n, answer, put, turn):
    kept.append(json.loads('{"id": %d, "rows": ["a%d", "b%d"]}' % (n, n, n)))
    put(n, answer(n))
    turn(n)
    return deeper(n, 3)
def deeper(n, left):
    if left:
        return deeper(n, left - 1)
    kept.append(["settled", n, str(n)])
    return len(kept)
""",
}


def load():
    names = {}
    for path, source in FILES.items():
        exec(compile(source, path, "exec"), names)
    return names


def clean(snapshot):
    """The same snapshot without paths of this machine."""
    library = os.path.dirname(sysconfig.get_path("stdlib"))
    here = os.path.abspath(__file__)
    version = "python%d.%d" % sys.version_info[:2]

    def path(name):
        if os.path.abspath(name) == here:
            return HOME + "/run.py"
        if name.startswith(library):
            return "/home/marisol.quintero/.pyenv/lib" + name[len(library):]
        return name.replace("/lib/python3/site-packages", "/lib/%s/site-packages" % version)

    def trace(raw):
        return raw[:2] + (tuple((path(name), line) for name, line in raw[2]),) + raw[3:]

    shared = {}
    traces = []
    for raw in snapshot.traces._traces:
        done = trace(raw)
        # As in a fresh snapshot, equal stacks are one object.
        traces.append(done[:2] + (shared.setdefault(done[2], done[2]),) + done[3:])
    return tracemalloc.Snapshot(traces, snapshot.traceback_limit)


def places(traceback):
    return [[frame.filename, frame.lineno] for frame in traceback]


def truth(snapshots):
    """Every grouping of the last snapshot, and beside the first, by Python's own arithmetic and in its order."""
    first, last = snapshots[0], snapshots[-1]
    groups = []
    for by, cumulative in [("lineno", 0), ("filename", 0), ("traceback", 0), ("lineno", 1), ("filename", 1)]:
        rows = [[places(s.traceback), s.size, s.count] for s in last.statistics(by, bool(cumulative))]
        changes = [
            [places(s.traceback), s.size, s.size_diff, s.count, s.count_diff]
            for s in (last.compare_to(first, by, bool(cumulative)) if len(snapshots) > 1 else [])
        ]
        groups.append({"by": by, "cumulative": bool(cumulative), "last": rows, "compared": changes})
    return {
        "python": sys.version.split()[0],
        "limit": last.traceback_limit,
        "blocks": [len(s.traces) for s in snapshots],
        "bytes": [sum(t.size for t in s.traces) for s in snapshots],
        "groups": groups,
    }


def main(out, names, rounds):
    program = load()
    tracemalloc.start(6)
    snapshots = []
    for turn in range(len(names)):
        for n in range(turn * rounds, (turn + 1) * rounds):
            program["handle"](n, program["answer"], program["put"], program["turn"])
        gc.collect()
        snapshots.append(tracemalloc.take_snapshot())
    tracemalloc.stop()
    snapshots = [clean(snapshot) for snapshot in snapshots]
    for name, snapshot in zip(names, snapshots):
        snapshot.dump(os.path.join(out, name + ".tracemalloc"))
    with open(os.path.join(out, names[-1] + ".truth.json"), "w") as file:
        json.dump(truth(snapshots), file, separators=(",", ":"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:], int(os.environ.get("ROUNDS", "200")))
