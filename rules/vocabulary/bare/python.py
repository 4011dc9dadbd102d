"""Prints the names of files that a bare interpreter has, one on each line: files of its own library below their folder,
and what it calls code that has no file. Nothing of the machine is in them.

usage: python -I -S python.py
"""
import os
import sys
import sysconfig

LEFT_OUT = {"site-packages", "dist-packages", "test", "tests", "idlelib", "turtledemo", "__pycache__", "lib-dynload"}

names = {"<string>", "<stdin>", "<unknown>", "<frozen zipimport>"}
names |= {"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>"}
try:
    import _imp

    names |= {"<frozen %s>" % name for name in _imp._frozen_module_names() if not name.startswith("__")}
except (ImportError, AttributeError):
    pass  # before 3.11 nothing else is frozen
library = sysconfig.get_path("stdlib")
for folder, folders, files in os.walk(library):
    folders[:] = [name for name in folders if name not in LEFT_OUT and not name.startswith("config-")]
    below = os.path.relpath(folder, library).replace(os.sep, "/")
    for name in files:
        if name.endswith(".py") and not name.startswith("_sysconfigdata"):
            names.add(name if below == "." else below + "/" + name)
sys.stdout.write("".join(name + "\n" for name in sorted(names)))
