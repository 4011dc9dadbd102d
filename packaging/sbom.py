"""What the program is built from, as CycloneDX 1.6 in JSON: usage: sbom.py TARGET

Every crate that goes into the program or runs while it is built for TARGET, with version, licence, checksum and what it needs. The
same lock file gives the same bytes.
"""
import json, re, subprocess, sys, uuid

target = sys.argv[1]
told = subprocess.run(
    ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target],
    check=True, capture_output=True, text=True,
).stdout
metadata = json.loads(told)
packages = {package["id"]: package for package in metadata["packages"]}
root = metadata["resolve"]["root"]
ids = {(package["name"], package["version"]): package["id"] for package in metadata["packages"]}
# Metadata joins the features that tests want; the tree is of the program alone.
tree = subprocess.run(
    ["cargo", "tree", "--locked", "--target", target, "--edges", "normal,build", "--prefix", "depth", "--no-dedupe"],
    check=True, capture_output=True, text=True,
).stdout
needs, above = {root: set()}, []
for line in tree.splitlines():
    depth, name, version = re.match(r"(\d+)(\S+) v(\S+)", line).groups()
    package = ids[name, version]
    needs.setdefault(package, set())
    del above[int(depth):]
    if above:
        needs[above[-1]].add(package)
    above.append(package)
checksums, current = {}, {}
with open("Cargo.lock", encoding="utf-8") as file:
    for line in file:
        if line.startswith("[["):
            current = {}
        elif " = " in line:
            key, value = line.strip().split(" = ", 1)
            current[key] = value.strip('"')
            if key == "checksum":
                checksums[current["name"], current["version"]] = current["checksum"]


def purl(package):
    # A plus in a version stands for a blank in addresses.
    return f"pkg:cargo/{packages[package]['name']}@{packages[package]['version'].replace('+', '%2B')}"


def component(package):
    about = packages[package]
    name, version = about["name"], about["version"]
    out = {
        "type": "application" if package == root else "library",
        "bom-ref": purl(package),
        "name": name,
        "version": version,
        "description": " ".join((about["description"] or "").split()),
        "purl": purl(package),
    }
    if about["license"]:
        # Some crates still write a bar for a choice.
        out["licenses"] = [{"expression": about["license"].replace("/", " OR ")}]
    if (name, version) in checksums:
        out["hashes"] = [{"alg": "SHA-256", "content": checksums[name, version]}]
    return out


components = sorted((component(package) for package in needs if package != root), key=lambda c: c["bom-ref"])
bom = {
    "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "version": 1,
    "metadata": {"component": component(root), "properties": [{"name": "cargo:target", "value": target}]},
    "components": components,
    "dependencies": sorted(
        ({"ref": purl(package), "dependsOn": sorted(purl(need) for need in needs[package])} for package in needs),
        key=lambda dependency: dependency["ref"],
    ),
}
with open("Cargo.lock", "rb") as file:
    bom["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, file.read().decode() + target)}"
print(json.dumps(bom, indent=1, sort_keys=True))
