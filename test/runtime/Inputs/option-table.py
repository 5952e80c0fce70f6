# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""option-table.py PATCHBAY: that a letter or a word means the same in every verb."""
import re
import subprocess
import sys

patchbay = sys.argv[1]

# What each is followed by, wherever it is; "": nothing.
MEANING = {
    "-p": {"PID"}, "-i": {"DIR"}, "-o": {"DIR", "FILE"}, "-t": {"value"},
    "-F": {"GLOB", "FUNCTION"}, "-N": {"GLOB", "FUNCTION"}, "-s": {"value"},
    "-f": {"KEYS", "FUNCTION"}, "--thread": {"GLOB"}, "--tid": {"TID"},
    "--threshold": {"TIME"}, "--slower": {"TIME", "DURATION"}, "--symfs": {"DIR"},
    "--color": {"value"}, "--no-pager": {""}, "--json": {""},
    "--max-depth": {"N"}, "--depth": {"N"}, "--min": {"DURATION"}, "--max": {"DURATION"},
}
READ = ("archive", "dump", "graph", "info", "outliers", "replay", "report")
SELECT = ("dump", "graph", "list", "live", "outliers", "record", "replay", "report")
# The verbs that have to have it.
IN = {
    "-i": READ, "--input": READ, "-F": SELECT, "-N": SELECT, "--filter": SELECT,
    "--notrace": SELECT, "-o": ("dump", "import", "record"),
    "--output": ("dump", "import", "record"),
    "-p": ("attach", "list", "live", "record", "status"), "-t": ("record",),
    "--tracer": ("record",), "-D": ("graph", "record", "replay"),
    "--color": ("dump", "graph", "info", "list", "outliers", "replay", "report", "status"),
    "--no-pager": ("dump", "graph", "info", "list", "outliers", "replay", "report"),
    "--symfs": READ, "--help": None,
}


def run(*words):
    return subprocess.run([patchbay, *words], text=True, capture_output=True, check=False)


verbs = re.findall(r"^  ([a-z]+) +- ", run("--help").stdout, re.M)
assert len(verbs) > 10, verbs
checked = 0
for verb in verbs:
    text = run(verb, "--help").stdout
    for option, value in re.findall(r"^  (--?[A-Za-z][a-z-]*)(?:[ =]<(\S+)>)? +- ", text, re.M):
        if option in MEANING and not re.search(rf"^  {option} +- Same as", text, re.M):
            assert value in MEANING[option], f"{verb} {option} <{value}>"
            checked += 1
for option, wanted in IN.items():
    for verb in wanted or verbs:
        # One that is not known is said to be; of others something else is wrong, or nothing.
        words = [option] if option in ("--help", "--no-pager") else [option, "1"]
        said = run(verb, *words, "--nosuch-option")
        assert "--nosuch-option" in said.stderr or option == "--help", \
            f"{verb} {option}: {said.stderr}"
        checked += 1
print(f"{len(verbs)} verbs, {checked} options")
