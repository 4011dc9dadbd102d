"""What other tools find in the texts that evaluate.js writes, in the same groups and forms.

usage: python peers.py DIR      (detect-secrets and CredSweeper installed; see run --full)
A text counts as found if the tool reports anything in its file. No text is printed.
"""
import json
import os
import subprocess
import sys
import tempfile


def files(top):
    for folder, _, names in os.walk(top):
        for name in sorted(names):
            yield os.path.join(folder, name)


def detect_secrets(top):
    from detect_secrets.core import scan
    from detect_secrets.settings import default_settings

    with default_settings():
        return {path for path in files(top) if any(True for _ in scan.scan_file(path))}


def credsweeper(top):
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.json")
        command = [sys.executable, "-m", "credsweeper", "--path", top, "--save-json", out]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as report:
            hits = json.load(report)
    return {os.path.abspath(line["path"]) for hit in hits for line in hit["line_data_list"]}


def main(top):
    top = os.path.abspath(top)
    every = list(files(top))
    groups = sorted({os.path.relpath(os.path.dirname(path), top) for path in every})
    for name, tool in [("detect-secrets", detect_secrets), ("CredSweeper", credsweeper)]:
        found = tool(top)
        print(f"{name}: found, by group and form")
        for group in groups:
            inside = [path for path in every if os.path.relpath(os.path.dirname(path), top) == group]
            share = 100 * sum(path in found for path in inside) / len(inside)
            print(f"  {group}: {share:.0f} % of {len(inside)}" if group != "none" else f"  taken for one: {share:.1f} % of {len(inside)}")


main(sys.argv[1])
