"""Runs the commands of the guides: usage: docs.py PROJECT PLACE FULL [NAME...]

Blocks of `sh` are run in order, by one shell for each guide, in a directory with what the guides talk about; a command that fails ends
it. Blocks of `toml` and `yaml` must be sound; one that begins with its file name is written there. Before a block that is not run
stands a comment that says why: `<!-- not run here: … -->`. Links must lead somewhere.
"""
import os, re, shutil, subprocess, sys

import yaml

project, place, full, *names = sys.argv[1:]
# So many blocks may stay out, so that not running does not become a habit.
MOST_NOT_RUN = 8
SERVER = """
const kept = [];
require('http').createServer((request, response) => {
  kept.push({ url: request.url, at: Date.now(), text: 'answer '.repeat(20) });
  response.end('ok');
}).listen(8123);
"""
WORK = "const kept = [];\nexport async function round() { for (let n = 0; n < 300; n++) kept.push({ n, text: `answer ${n} `.repeat(5) }); }\n"
WORK_PY = "kept = []\ndef round():\n    kept.extend('answer %d' % n * 20 for n in range(20000))\n"


def prepare(home):
    os.makedirs(os.path.join(home, "src"))
    os.makedirs(os.path.join(home, "received"))
    for folder in ("samples", "docs", "packaging"):
        os.symlink(os.path.join(project, folder), os.path.join(home, folder))
    files = {"server.js": SERVER, "work.mjs": WORK, "work.py": WORK_PY, "customers.txt": "Erika Mustermann\n",
             "budget.toml": 'max_heap_growth = "100 MB"\n'}
    for name, text in files.items():
        with open(os.path.join(home, name), "w") as file:
            file.write(text)
    shutil.copy(os.path.join(project, "samples/helpdesk/app.js"), os.path.join(home, "src/app.js"))
    take = lambda sample, name: subprocess.run(
        ["zstd", "-dqf", os.path.join(project, "samples", sample), "-o", os.path.join(home, name)], check=True)
    take("helpdesk.heapsnapshot.zst", "app.heapsnapshot")
    for n in (1, 2, 3):
        take(f"desk-leak/snapshot-{n}.heapsnapshot.zst", f"{n}.heapsnapshot")


def links(path, text):
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if not link.startswith(("http:", "https:")):
            where = os.path.join(os.path.dirname(path), link)
            assert os.path.exists(where), f"{path}: the link {link} leads nowhere"


def run(path):
    name = os.path.basename(path)[:-3]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    links(path, text)
    home = os.path.join(place, name)
    prepare(home)
    script, ran, out = ["set -euo pipefail", "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT"], 0, []
    blocks = re.findall(r"(<!-- not run here: [^\n]* -->\n)?```(\w+)\n(.*?)^```$", text, re.S | re.M)
    assert len(blocks) == text.count("\n```") // 2, f"{name}: a block without its language"
    for reason, language, body in blocks:
        if language == "toml":
            import tomllib
            tomllib.loads(body)
            named = re.match(r"# (\S+\.toml)\n", body)
            if named:
                script.append(f"cat > {named[1]} <<'TOML_BLOCK'\n{body}TOML_BLOCK")
        elif language == "yaml":
            assert yaml.safe_load(body), name
        elif language == "sh" and reason:
            out.append(f"not run: {name}: {body.splitlines()[0]} ({reason[len('<!-- not run here: '):-5]})")
        elif language == "sh" and not full and re.search(r"^(deno|bun) ", body, re.M):
            print(f"only with --full: {name}: {body.splitlines()[-1]}")
        elif language == "sh":
            script.append(body)
            ran += len([line for line in body.splitlines() if line and not line.startswith((" ", "#"))])
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=home, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        print(done.stdout[-3000:], done.stderr[-3000:], f"FAILED: {name}: a command ended with {done.returncode}", sep="\n", file=sys.stderr)
        sys.exit(1)
    if name == "comparison":
        print(done.stdout.rstrip())
    print(f"{name}: {ran} lines of commands ran")
    shutil.rmtree(home)
    return out


guides = sorted(name for name in os.listdir(os.path.join(project, "docs")) if name.endswith(".md") and (not names or name[:-3] in names))
assert guides and len(guides) >= len(names)
not_run = [line for name in guides for line in run(os.path.join(project, "docs", name))]
print("\n".join(not_run))
assert len(not_run) <= MOST_NOT_RUN, "too many commands are not run"
for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md"):
    with open(os.path.join(project, name), encoding="utf-8") as file:
        links(os.path.join(project, name), file.read())
