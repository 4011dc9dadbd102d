"""Makes an archive of many dumps, good and bad, and says what must come of each."""

import gzip
import io
import json
import os
import random
import socket
import subprocess
import tarfile
import tempfile
import tracemalloc
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
CANARY = "CANARY-7f3a"
SERVICES = ["desk", "mail", "shop", "login", "search"]
NODE_TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
              "concatenated string", "sliced string", "symbol", "bigint", "object shape"]
EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]


def made(seed, objects):
    """A small snapshot with the layout of Node 20: a root that holds objects, each with a text."""
    strings = ["<dummy>", "", "Map", f"{CANARY} key", "Buffer"]
    nodes, edges = [[9, 1, 1, 0, 0, 0, 0]], []
    for n in range(objects):
        strings.append(f"{CANARY} value {seed} {n}")
        at = len(nodes)
        nodes.append([3, 2 if n % 3 else 4, 2 * at + 1, 64 + n % 7, 1, 0, 0])
        nodes.append([2, len(strings) - 1, 2 * at + 3, 32, 0, 0, 0])
        edges.append([[1, n, at * 7]])
        edges.append([[2, 3, (at + 1) * 7]])
    root = [e[0] for e in edges[0::2]]
    rest = [e[0] for e in edges[1::2]]
    nodes[0][4] = len(root)
    meta = {
        "node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"],
        "node_types": [NODE_TYPES, "string", "number", "number", "number", "number", "number"],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [EDGE_TYPES, "string_or_number", "node"],
    }
    body = {
        "snapshot": {"meta": meta, "node_count": len(nodes), "edge_count": len(root) + len(rest), "trace_function_count": 0},
        "nodes": [x for node in nodes for x in node],
        "edges": [x for edge in root + rest for x in edge],
        "trace_function_infos": [], "trace_tree": [], "samples": [], "locations": [], "strings": strings,
    }
    return json.dumps(body, separators=(",", ":")).encode()


def traced(seed):
    """A snapshot of Python's own allocations."""
    tracemalloc.start(5)
    kept = [f"{CANARY} {seed} {n}" for n in range(200)]
    snapshot = tracemalloc.take_snapshot()
    tracemalloc.stop()
    with tempfile.NamedTemporaryFile() as file:
        snapshot.dump(file.name)
        del kept
        return Path(file.name).read_bytes()


def zst(data, level=1):
    return subprocess.run(["zstd", "-q", f"-{level}"], input=data, stdout=subprocess.PIPE, check=True).stdout


def lies_about_its_size():
    """A header that claims far fewer objects than come."""
    return made(7, 2000).replace(b'"node_count":4001', b'"node_count":11')


def bad(rng):
    """Dumps that cannot be summarised, with the class that must be told."""
    good = made(1, 200)
    zeros = b'{"snapshot":{"meta":{' * 4 + b" " * (1 << 20)
    real = (PROJECT / "samples/desk-leak/snapshot-1.heapsnapshot.zst").read_bytes()
    return [
        ("cut.heapsnapshot", good[: rng.randrange(200, len(good) - 1)], "truncated"),
        ("cut.heapsnapshot.zst", real[: len(real) // 2], "truncated"),
        ("cut.heapsnapshot.gz", gzip.compress(good)[:-20], "truncated"),
        ("damaged.heapsnapshot", good.replace(b'"nodes":[9', b'"nodes":[x'), "damaged"),
        ("liar.heapsnapshot", lies_about_its_size(), "damaged"),
        ("bomb.heapsnapshot.zst", zst(zeros + b" " * (120 << 20)), "limit"),
        ("matryoshka.gz", gzip.compress(gzip.compress(gzip.compress(good))), "limit"),
        ("empty.heapsnapshot", b"", "empty"),
        ("flight.jfr", b"FLR\0" + b"\0" * 64, "unsupported"),
        ("core.1234", b"\x7fELF" + b"\0" * 64, "unsupported"),
    ]


def tar_of(files, mode):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1_760_000_000
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zip_of(files, how):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, how)
    return out.getvalue()


def make(root, count, real):
    """Returns what must come of each place: done, a class, or skipped."""
    rng = random.Random(20261119)
    expected = {}

    def put(name, data, result):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if data is not None:
            path.write_bytes(data)
        if result is not None:
            expected[f"{root.name}/{name}"] = result

    def good(number):
        service = SERVICES[number % len(SERVICES)]
        step = number // len(SERVICES)
        grows = 40 * step if service == "desk" else rng.randrange(0, 60)
        return f"customer-ACME/{service}/{step:04}.heapsnapshot", made(number, 60 + grows)

    members = []
    for n, (name, data, result) in enumerate(bad(rng) * max(1, count // 120)):
        if result == "empty":
            result = "skipped"
        if n % 3 == 2 and result not in ("limit",):
            members.append((f"bad/{n}-{name}", data, result))
        else:
            put(f"bad/{n}-{name}", data, result)
    put("bad/notes.bin", b"\0\1\2 nothing of interest", "skipped")
    for number, path in enumerate(sorted(real.iterdir())):
        data = path.read_bytes()
        put(f"customer-ACME/tickets/{number:04}.heapsnapshot" + (".zst" if number % 2 else ""), zst(data) if number % 2 else data, "done")
    samples = ["desk-leak/snapshot-1.heapsnapshot.zst", "page-leak/snapshot-2.heapsnapshot.zst", "page.heaptimeline.zst"]
    for number, name in enumerate(samples):
        put(f"samples/{number}.bin", (PROJECT / "samples" / name).read_bytes(), "done")
    for n in range(max(2, count // 60)):
        log = "".join(f"2026-11-19T10:00:{i % 60:02} INFO request {i} by {CANARY} took {i * 7} ms\n" for i in range(50 + n))
        put(f"other/{n}.log", log.encode(), "done")
        rows = "".join(json.dumps({"time": i, "level": "info", "user": f"{CANARY} {i}"}) + "\n" for i in range(40 + n))
        put(f"other/{n}.jsonl.gz", gzip.compress(rows.encode(), mtime=0), "done")
        put(f"other/{n}.tracemalloc", traced(n), "done")
    number = 0
    while len(expected) + 3 * 12 + len(members) + 4 < count:
        name, data = good(number)
        packed = {0: data, 1: gzip.compress(data, mtime=0), 2: zst(data)}[number % 3]
        put(name, packed, "done")
        number += 1
    for archive in range(3):
        inner = []
        for _ in range(12):
            name, data = good(number)
            inner.append((name, data, "done"))
            number += 1
        inner += members if archive == 0 else []
        files = [(name, data) for name, data, _ in inner]
        file = ["all.tar.gz", "all.zip", "all.tar"][archive]
        data = [lambda: tar_of(files, "w:gz"), lambda: zip_of(files, zipfile.ZIP_DEFLATED), lambda: tar_of(files, "w")][archive]()
        put(f"packed/{file}", data, None)
        for name, _, result in inner:
            expected[f"{root.name}/packed/{file}!{name}"] = result
    put("packed/cut.tar", tar_of([("a.heapsnapshot", made(5, 60)), ("b.heapsnapshot", made(6, 900))], "w")[:20_000], None)
    expected[f"{root.name}/packed/cut.tar!a.heapsnapshot"] = "done"
    expected[f"{root.name}/packed/cut.tar"] = "truncated"
    # What cannot be read: for root, too.
    (root / "bad" / "dangling.heapsnapshot").symlink_to("nowhere")
    expected[f"{root.name}/bad/dangling.heapsnapshot"] = "unreadable"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.relpath(root / "bad" / "socket"))
    listener.close()
    expected[f"{root.name}/bad/socket"] = "unsupported"
    # Ways that lead to the same: nothing is done twice.
    (root / "bad" / "loop").symlink_to("..")
    os.link(root / "samples/0.bin", root / "samples/same.bin")
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            os.utime(path, (1_760_000_000, 1_760_000_000))
    return expected
