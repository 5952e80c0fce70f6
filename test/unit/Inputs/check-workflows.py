# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the workflows with the documents. Prints a line for each difference.

    check-workflows.py SOURCE
"""
import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])


def text(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def commands(document):
    """Returns the lines of the document's code blocks, without prompts and comments."""
    blocks = re.findall(r"^```[^\n]*\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    return [re.sub(r"^\$ | +#.*", "", line) for block in blocks for line in block.splitlines()]


def runs(workflow):
    """Returns the workflow's shell commands: `run: COMMAND`, and the lines of `run: |`."""
    lines = re.findall(r"^ +(?:- )?run: ([^|\n].*)$", workflow, re.MULTILINE)
    for block in re.findall(r"^( +)run: \|\n((?:\1  .*\n)+)", workflow, re.MULTILINE):
        lines += [line.strip() for line in block[1].splitlines()]
    return lines


readme, packages = text("README.md"), text("cmake/debian/README.md")
ci, release = text(".github/workflows/ci.yml"), text(".github/workflows/release.yml")
found = []

ours = [line for line in runs(ci) if line.startswith("sh ")]
if ours != ["sh cmake/bootstrap.sh demo", "sh cmake/bootstrap.sh test"]:
    found.append(f"ci.yml runs {ours}")
for line in ours:
    if line not in commands(readme):
        found.append(f"README.md does not name what ci.yml runs: {line}")
setting, command = re.search(r"exec env (\w+=\w+) (.*)", text(".ci/run")).groups()
if command != ours[-1] or setting.replace("=", ": ") not in ci:
    found.append(f"ci.yml does not run what .ci/run does: {setting} {command}")
known = re.findall(r"^\d+$", text("cmake/llvm-versions"), re.MULTILINE)
if re.findall(r"llvm: (\d+)", ci) != known:
    found.append(f"ci.yml does not build with LLVM {' and '.join(known)}")

for line in runs(release):
    if line.startswith("sh ") and line not in re.findall("`([^`]*)`", packages):
        found.append(f"cmake/debian/README.md does not name what release.yml runs: {line}")
    if line.startswith(("gpg --clearsign", "cd ")) and line not in commands(packages):
        found.append(f"cmake/debian/README.md does not name what release.yml runs: {line}")
for name in re.findall(r"-f (\S+/Containerfile)", release):
    if not (SOURCE / name).exists():
        found.append(f"release.yml names {name}, which does not exist")
print("\n".join(found) or "equal")
