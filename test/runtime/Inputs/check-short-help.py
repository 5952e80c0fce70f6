# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-short-help.py PATCHBAY: -h of the command and of each verb fits 24 lines of 80
columns, and names each option of --help."""
import re
import subprocess
import sys


def run(*words):
    return subprocess.run([sys.argv[1], *words], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


verbs = re.findall(r"^  ([a-z]+) - ", run("--help"), re.M)
for words in ([], *([verb] for verb in verbs)):
    short = run(*words, "-h")
    lines = short.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, short
    table = re.search(r"^OPTIONS:\n(.*?)^[A-Z][A-Z ]+:$", run(*words, "--help"), re.M | re.S)[1]
    rows = re.findall(r"^  (-\S.*?)(?:  |$)", table, re.M)
    named = {name for row in rows for name in re.findall(r"(?<!\S)--?[A-Za-z][a-z-]*", row)}
    missing = named - set(short.split()) - {"-h", "--help", "--version"}
    assert not missing, f"{words}: {missing}"
print(f"{len(verbs) + 1} screens")
