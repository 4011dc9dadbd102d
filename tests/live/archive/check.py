"""Every dump of an archive is told of once, within memory, whatever is killed; parts fold into the whole."""

import filecmp
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import duckdb
from jsonschema import Draft202012Validator

sys.path.insert(0, str(Path(__file__).parent))
import corpus

HEAPSCRUB = os.environ["HEAPSCRUB"]
SERIES = r"(?<service>[^/]+)/(?<time>[0-9]+)\.heapsnapshot"
BUDGET = 700 << 20
LEFT = ["index.jsonl", "index.csv", "series.json", "overview.html"]


def command(work, out, *flags):
    return [HEAPSCRUB, "batch", str(work / "dumps"), "-o", str(out), "--key-file", str(work / "key"), "--series", SERIES,
            "--max-memory", "700MiB", "--jobs", "2", *flags]


def children(pid):
    try:
        return [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return []


def own_memory(pid):
    try:
        return next(int(line.split()[1]) << 10 for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("RssAnon"))
    except (OSError, StopIteration):
        return 0


def run(work, out, *flags, watch=None):
    with open(work / "events", "wb") as events:
        process = subprocess.Popen(command(work, out, *flags), stderr=events)
        while process.poll() is None:
            if watch:
                watch(process.pid)
            time.sleep(0.01)
    return process.returncode, (work / "events").read_text()


def rows(out):
    return [json.loads(line) for line in (out / "index.jsonl").read_text().splitlines()]


def journal(out):
    return [json.loads(line) for line in (out / ".state" / "journal.jsonl").read_text().splitlines()]


def ensure(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")


def undisturbed(work, expected):
    most, key = [0], (work / "key").read_bytes().hex()

    def watch(pid):
        workers = children(pid)
        most[0] = max(most[0], sum(own_memory(worker) for worker in workers))
        for worker in workers:
            try:
                told = Path(f"/proc/{worker}/cmdline").read_bytes() + Path(f"/proc/{worker}/environ").read_bytes()
            except OSError:
                continue
            ensure(key not in told.hex() and b"customer-ACME" not in told, "key or name of a dump among arguments or environment")

    out = work / "whole"
    code, events = run(work, out, "--keep-file-names", watch=watch)
    ensure(code == 5, f"exit code {code}: {events[-2000:]}")
    got = {row["name"]: "done" if row["state"] == "done" else "skipped" if row["state"] == "skipped" else row["class"] for row in rows(out)}
    wrong = {name: (expected.get(name), got.get(name)) for name in expected.keys() | got.keys() if expected.get(name) != got.get(name)}
    same = {f"{(work / 'dumps').name}/samples/same.bin", f"{(work / 'dumps').name}/samples/0.bin"}
    wrong = {name: pair for name, pair in wrong.items() if name not in same}
    ensure(not wrong, f"{len(wrong)} of {len(expected)}: {dict(list(wrong.items())[:5])}")
    items = [line["row"]["item"] for line in journal(out)]
    ensure(len(items) == len(set(items)), "a dump was done twice")
    ensure(0 < most[0] <= BUDGET, f"memory {most[0]}")
    peak = max(line["peak_bytes"] for line in journal(out))
    print(f"{len(got)} items: {dict(Counter(got.values()))}; workers together at most {most[0] >> 20} MB of 700 MiB, one {peak >> 20} MB")
    # Nothing of the dumps, and without --keep-file-names nothing of their names.
    code, events = run(work, out)
    ensure(code == 5 and '"ended"' not in events.replace('"class":"unreadable"', ""), f"done is done: {events[:500]}")
    for path in [*out.rglob("*"), work / "events"]:
        if path.is_file() and ".state" not in path.parts:
            data = path.read_bytes()
            ensure(corpus.CANARY.encode() not in data and b"customer-ACME" not in data, f"{path.name} holds what it must not")
    state = out / ".state"
    ensure(state.stat().st_mode & 0o777 == 0o700, "the state is private")
    ensure(all(p.stat().st_mode & 0o77 == 0 for p in state.iterdir()), "what is in it too")
    schema = json.loads(subprocess.run([HEAPSCRUB, "schema", "batch"], stdout=subprocess.PIPE, check=True).stdout)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for row in rows(out):
        validator.validate(row)
    return out


def same(a, b, what):
    for name in LEFT:
        ensure(filecmp.cmp(a / name, b / name, shallow=False), f"{what}: {name} differs")


def killed(work, whole, kills):
    rng, out, done = random.Random(7), work / "killed", 0
    for round_ in range(kills):
        process = subprocess.Popen(command(work, out, "--quiet"), stderr=subprocess.DEVNULL)
        end = time.monotonic() + rng.uniform(0.3, 3.0)
        while time.monotonic() < end and process.poll() is None:
            for worker in children(process.pid):
                if rng.random() < 0.03:
                    try:
                        os.kill(worker, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
            time.sleep(0.02)
        if round_ % 2:
            # The last line is cut off, as a crash of the machine does it.
            process.kill()
            process.wait()
            path = out / ".state" / "journal.jsonl"
            if path.exists() and path.stat().st_size > 10:
                os.truncate(path, path.stat().st_size - rng.randrange(1, 10))
        else:
            process.kill()
            process.wait()
        done = len(journal_lines(out))
    code, events = run(work, out)
    ensure(code == 5, f"exit code {code}: {events[-1000:]}")
    same(whole, out, "killed and resumed")
    left = [p for p in (out / "items").iterdir() if "partial" in p.name or p.name.startswith(".")]
    ensure(not left, f"left behind: {left[:3]}")
    print(f"killed {kills} times with workers ({done} items were done before the last run), resumed: the same bytes")


def journal_lines(out):
    path = out / ".state" / "journal.jsonl"
    return path.read_bytes().splitlines() if path.exists() else []


def parts(work, whole):
    outs = [work / f"part-{n}" for n in range(2)]
    threads = [threading.Thread(target=lambda n=n: subprocess.run(command(work, outs[n], "--quiet", "--shard", f"{n}/2"), stderr=subprocess.DEVNULL)) for n in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
    sizes = [len(rows(out)) for out in outs]
    ensure(min(sizes) > 0, f"parts of {sizes}")
    for order in (outs, outs[::-1], [*outs, outs[0]]):
        subprocess.run([HEAPSCRUB, "merge", "-q", *map(str, order), "-o", str(work / "merged")], check=True)
        same(whole, work / "merged", "merged")
    print(f"two parts of {sizes} items merged: the same bytes as one run, in any order")


GREW = """
with dumps as (
  select service, time, unnest(classes) as c from read_json_auto(?, format='newline_delimited', maximum_object_size=100000000)
  where state = 'done' and service = ?
), steps as (
  select c.class as class, time, c.count as count, lag(c.count) over (partition by c.class, c.script order by time) as before
  from dumps
), dumps_of as (select count(distinct time) as n from dumps)
select class from steps, dumps_of group by class, n
having count(*) = n and n > 2 and bool_and(before is null or count > before) order by class
"""


def asked(whole):
    grew = [name for (name,) in duckdb.execute(GREW, [str(whole / "index.jsonl"), "tickets"]).fetchall()]
    ensure("Ticket" in grew, f"DuckDB: {grew}")
    services = {s["service"]: s for s in json.loads((whole / "series.json").read_text())["services"]}
    ours = [c["class"] for c in services["tickets"]["classes"] if c["monotone"]]
    ensure("Ticket" in ours and services["tickets"]["verdict"] == "leak", f"series: {ours}")
    first = (whole / "overview.html").read_text().split("<tbody>")[1].split("</tr>")[0]
    ensure("tickets" in first, f"the page ranks by growth: {first}")
    print(f"DuckDB: grew in every dump of tickets: {', '.join(grew)}")


def main():
    work, count, kills = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    expected = corpus.make(work / "dumps", count, work / "real")
    (work / "key").write_bytes(bytes(range(32)))
    os.chmod(work / "key", 0o600)
    whole = undisturbed(work, expected)
    asked(whole)
    parts(work, whole)
    killed(work, whole, kills)


main()
