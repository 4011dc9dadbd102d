"""Writes the manifests of the npm packages: usage: make.py DIR VERSION OS CPU"""
import json, os, sys

place, version, system, cpu = sys.argv[1:]
about = {
    "version": version,
    "license": "MIT OR Apache-2.0",
    "engines": {"node": ">=14"},
}
platform = f"@heapscrub/{system}-{cpu}"
main = {
    "name": "heapscrub",
    "description": "Makes heap snapshots safe to share: scrubs, verifies, summarises",
    "keywords": ["heapsnapshot", "memory-leak", "redaction", "privacy", "devtools"],
    "bin": {"heapscrub": "heapscrub.js"},
    "files": ["heapscrub.js"],
    "optionalDependencies": {platform: version},
}
program = {
    "name": platform,
    "description": f"heapscrub for {system} on {cpu}",
    "os": [system],
    "cpu": [cpu],
    "files": ["bin"],
    "preferUnplugged": True,
}
for kind, manifest in (("main", main), ("platform", program)):
    folder = os.path.join(place, kind, "package")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "package.json"), "w") as file:
        json.dump({**manifest, **about}, file, indent=2)
        file.write("\n")
