"""Looks at packages with other people's eyes.

usage: packages.py sbom FILE PROJECT         the list of what is inside is valid CycloneDX, and has what the compiler was given
       packages.py binstall DIST UNPACKED    cargo-binstall finds the archive and the program in it where Cargo.toml says
"""
import json, os, re, subprocess, sys


def sbom(path, project):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    with open(path) as file:
        text = file.read()
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert fault is None, fault
    bom = json.loads(text)
    ours = {(c["name"], c["version"]) for c in bom["components"]}
    # What the compiler was really given for the program; nothing is built again.
    profile = os.environ.get("HEAPSCRUB_PROFILE", "release")
    told = subprocess.run(
        ["cargo", "build", "--locked", "--bin", "heapscrub", "--profile", profile, "--message-format", "json"],
        cwd=project, check=True, capture_output=True, text=True,
    ).stdout
    built = {m["package_id"] for m in map(json.loads, told.splitlines()) if m["reason"] == "compiler-artifact"}
    theirs = {re.search(r"([^/#@]+)[@#]([^@#]+)$", package).groups() for package in built if "registry+" in package}
    assert ours == theirs, (sorted(theirs - ours), sorted(ours - theirs))
    assert all("hashes" in c and "licenses" in c for c in bom["components"])
    print(f"SBOM: valid CycloneDX {bom['specVersion']}, {len(ours)} crates, those that the compiler was given")


def binstall(dist, unpacked):
    told = subprocess.run(["cargo", "metadata", "--format-version", "1", "--no-deps"], check=True, capture_output=True, text=True).stdout
    package = json.loads(told)["packages"][0]
    about = package["metadata"]["binstall"]
    archive = next(name for name in os.listdir(dist) if name.endswith(".tar.gz"))
    target = archive[len(f"heapscrub-{package['version']}-"):-len(".tar.gz")]
    values = {"repo": "R", "version": package["version"], "target": target, "bin": "heapscrub", "binary-ext": ""}
    fill = lambda text: re.sub(r"\{ ([a-z-]+) \}", lambda m: values[m[1]], text)
    assert fill(about["pkg-url"]).rsplit("/", 1)[1] == archive, fill(about["pkg-url"])
    assert os.access(os.path.join(unpacked, fill(about["bin-dir"])), os.X_OK), fill(about["bin-dir"])
    assert about["pkg-fmt"] == "tgz"


{"sbom": sbom, "binstall": binstall}[sys.argv[1]](*sys.argv[2:])
