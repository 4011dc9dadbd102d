"""Compares what heapscrub made of snapshots with Python's own arithmetic.

usage: python check.py make DIR     protocols 0 to 5 of the first snapshot in DIR, as first-P.tracemalloc
       python check.py check DIR    DIR has first, middle and last: NAME.tracemalloc, NAME.out; and report.json of all
"""
import json
import os
import pickle
import sys
import tracemalloc

GROUPS = [("lineno", False), ("filename", False), ("traceback", False), ("lineno", True), ("filename", True)]
NAMES = ["first", "middle", "last"]


def load(name):
    return tracemalloc.Snapshot.load(os.path.join(sys.argv[2], name))


def equal(what, got, expected):
    if got != expected:
        for at, (one, other) in enumerate(zip(got, expected)):
            if one != other:
                sys.exit("FAILED: %s: row %d: %r, Python has %r" % (what, at, one, other))
        sys.exit("FAILED: %s: %d rows, Python has %d" % (what, len(got), len(expected)))


def same_but_names(raw, out):
    """Each block has its size, allocator, lines and number of frames, and each name one other name."""
    there, back = {}, {}
    raw, out = raw.traces._traces, out.traces._traces
    if len(raw) != len(out):
        sys.exit("FAILED: %d blocks in place of %d" % (len(out), len(raw)))
    for one, other in zip(raw, out):
        if one[:2] + one[3:] != other[:2] + other[3:] or [f[1] for f in one[2]] != [f[1] for f in other[2]]:
            sys.exit("FAILED: a block differs")
        for (name, _), (new, _) in zip(one[2], other[2]):
            if there.setdefault(name, new) != new or back.setdefault(new, name) != name:
                sys.exit("FAILED: two names became one, or one became two")
    return len(there)


def places(traceback):
    return [{"file": frame.filename, "line": frame.lineno} for frame in traceback]


def main():
    if sys.argv[1] == "make":
        snapshot = load("first.tracemalloc")
        for protocol in range(6):
            with open(os.path.join(sys.argv[2], "first-%d.tracemalloc" % protocol), "wb") as file:
                pickle.dump(snapshot, file, protocol)
        return
    raws, outs = [load(name + ".tracemalloc") for name in NAMES], [load(name + ".out") for name in NAMES]
    names = [same_but_names(raw, out) for raw, out in zip(raws, outs)]
    with open(os.path.join(sys.argv[2], "report.json")) as file:
        groups = json.load(file)["allocations"]["groups"]
    rows = 0
    equal("groups", [(group["by"], group["cumulative"]) for group in groups], GROUPS)
    for group, (by, cumulative) in zip(groups, GROUPS):
        what = "%s%s" % (by, ", cumulative" if cumulative else "")
        last = [
            {"frames": places(s.traceback), "bytes": s.size, "blocks": s.count}
            for s in outs[-1].statistics(by, cumulative)
        ]
        equal(what, group["last"], last)
        compared = [
            {
                "frames": places(s.traceback),
                "bytes": s.size,
                "delta_bytes": s.size_diff,
                "blocks": s.count,
                "delta_blocks": s.count_diff,
            }
            for s in outs[-1].compare_to(outs[0], by, cumulative)
        ]
        equal(what + ", compared", group["compared"], compared)
        # The numbers of the unscrubbed file are the same.
        numbers = sorted((s.size, s.count) for s in raws[-1].statistics(by, cumulative))
        equal(what + ", unscrubbed", sorted((r["bytes"], r["blocks"]) for r in group["last"]), numbers)
        rows += len(last) + len(compared)
    print("Python %s: %d blocks, %d names, %d rows equal" % (sys.version.split()[0], len(raws[-1].traces), names[-1], rows))


main()
