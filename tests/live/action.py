"""Runs the steps of action.yml as a runner does: usage: action.py PROJECT NAME=VALUE...

Only what the action uses is known: inputs with defaults, the path of the action, composite steps with `run`, `shell` and `env`.
Prints what the steps print, then their outputs and the summary.
"""
import os, re, subprocess, sys, tempfile

import yaml

project, given = sys.argv[1], dict(pair.split("=", 1) for pair in sys.argv[2:])
with open(os.path.join(project, "action.yml")) as file:
    action = yaml.safe_load(file)
assert action["runs"]["using"] == "composite" and not given.keys() - action["inputs"].keys()
inputs = {name: given.get(name, about.get("default", "")) for name, about in action["inputs"].items()}


def value(text):
    def of(match):
        word = match[1]
        if word == "github.action_path":
            return project
        assert word.startswith("inputs."), word
        return inputs[word[len("inputs."):]]

    return re.sub(r"\$\{\{ (\S+) \}\}", of, text)


status = 0
with tempfile.TemporaryDirectory() as place:
    told = [os.path.join(place, name) for name in ("output", "summary")]
    for path in told:
        open(path, "w").close()
    for step in action["runs"]["steps"]:
        # Nothing of another project is run, and nothing of an input is put into a script.
        assert "uses" not in step and "${{" not in step["run"] and step["shell"] == "bash"
        more = {name: value(text) for name, text in step.get("env", {}).items()}
        more.update(GITHUB_OUTPUT=told[0], GITHUB_STEP_SUMMARY=told[1], RUNNER_TEMP=place)
        run = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        status = subprocess.run(run, env={**os.environ, **more}).returncode
        if status:
            break
    for path in told:
        with open(path) as file:
            print(file.read(), flush=True)
sys.exit(status)
