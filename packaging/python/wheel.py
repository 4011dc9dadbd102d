"""Writes a wheel that holds the program: usage: wheel.py PROGRAM VERSION TARGET DIR

What the wheel says it runs on is read from the program: one without needs runs on any Linux; one that needs the GNU C library says
which version. The bytes depend on the program and SOURCE_DATE_EPOCH only.
"""
import base64, hashlib, os, re, subprocess, sys, time, zipfile

program, version, target, place = sys.argv[1:]
machine = target.split("-")[0]


def tags():
    if "apple" in target:
        least, name = ("11_0", "arm64") if machine == "aarch64" else ("10_12", "x86_64")
        return [f"macosx_{least}_{name}"]
    dump = subprocess.run(["objdump", "-p", program], check=True, capture_output=True, text=True).stdout
    if not re.search(r"^ *NEEDED ", dump, re.M):
        return [f"manylinux_2_17_{machine}", f"manylinux2014_{machine}", f"musllinux_1_1_{machine}"]
    least = max((tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", dump)), default=(2, 17))
    return [f"manylinux_{least[0]}_{least[1]}_{machine}"]


tags = tags()
when = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
info, record = f"heapscrub-{version}.dist-info", []
with open("README.md", encoding="utf-8") as file:
    readme = file.read()
metadata = f"""Metadata-Version: 2.4
Name: heapscrub
Version: {version}
Summary: Makes heap snapshots safe to share: scrubs, verifies, summarises
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""
wheel = "Wheel-Version: 1.0\nGenerator: heapscrub packaging\nRoot-Is-Purelib: false\n" + "".join(f"Tag: py3-none-{tag}\n" for tag in tags)

path = os.path.join(place, f"heapscrub-{version}-py3-none-{'.'.join(tags)}.whl")
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    def add(name, data, mode=0o644):
        data = data.encode() if isinstance(data, str) else data
        entry = zipfile.ZipInfo(name, when)
        entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, (0o100000 | mode) << 16
        archive.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")

    with open(program, "rb") as file:
        add(f"heapscrub-{version}.data/scripts/heapscrub", file.read(), 0o755)
    add(f"{info}/METADATA", metadata)
    add(f"{info}/WHEEL", wheel)
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        with open(licence, "rb") as file:
            add(f"{info}/licenses/{licence}", file.read())
    entry = f"{info}/RECORD"
    add(entry, "".join(record) + f"{entry},,\n")
