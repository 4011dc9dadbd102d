"""A disk that runs full ends the run; when there is room again, it goes on to the same result."""

import filecmp
import os
import subprocess
import sys
from pathlib import Path

work = Path(sys.argv[1])
disk = work / "disk"
disk.mkdir()


def mount(flags):
    subprocess.run(["mount", "-t", "tmpfs", "-o", flags, "tmpfs", str(disk)], check=True)


def run():
    command = [os.environ["HEAPSCRUB"], "batch", str(work / "dumps"), "-o", str(disk / "out"), "--key-file", str(work / "key"), "--quiet",
               "--series", r"(?<service>[^/]+)/(?<time>[0-9]+)\.heapsnapshot", "--max-memory", "700MiB", "--jobs", "2"]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True)


mount("size=2m")
for megabytes in (2, 4, 6):
    subprocess.run(["mount", "-o", f"remount,size={megabytes}m", str(disk)], check=True)
    done = run()
    if done.returncode != 5 or "no space left" not in done.stderr:
        sys.exit(f"FAILED: exit code {done.returncode} on a full disk: {done.stderr}")
    if (disk / "out" / "index.jsonl").exists():
        sys.exit("FAILED: an index although the run ended early")
subprocess.run(["mount", "-o", "remount,size=2g", str(disk)], check=True)
done = run()
if done.returncode != 5 or "no space left" in done.stderr:
    sys.exit(f"FAILED: exit code {done.returncode} with room: {done.stderr}")
for name in ("index.jsonl", "index.csv", "series.json", "overview.html"):
    if not filecmp.cmp(disk / "out" / name, work / "whole" / name, shallow=False):
        sys.exit(f"FAILED: {name} differs after a full disk")
print("a full disk, three times, then room: the same bytes")
