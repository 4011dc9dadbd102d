"""Prints the modules at the top of wheels, one on each line.

usage: python python_packages.py DIRECTORY_OF_WHEELS
"""
import os
import re
import sys
import zipfile

tops = set()
for wheel in os.listdir(sys.argv[1]):
    if not wheel.endswith(".whl"):
        continue
    with zipfile.ZipFile(os.path.join(sys.argv[1], wheel)) as archive:
        for name in archive.namelist():
            top, _, rest = name.partition("/")
            if top.endswith(".data") and rest.startswith(("purelib/", "platlib/")):
                top, _, rest = rest.partition("/")[2].partition("/")
            # A module is a file or a folder with code.
            module = top[:-3] if not rest and top.endswith(".py") else top if rest.endswith((".py", ".so")) else ""
            if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", module) and module not in ("tests", "test", "docs", "examples"):
                tops.add(module)
sys.stdout.write("".join(top + "\n" for top in sorted(tops)))
