#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the manual's page about the options of all verbs, from the command's help.

    help-to-options.py PATCHBAY > runtime/doc/options.md

Options of several verbs are printed once, after the verbs.
"""
import re
import subprocess
import sys

OPTION = re.compile(r"  (-\S.*?)(?:  +(\S.*))?$")
VALUE = re.compile(r"      (\S+)  +(.*)")
SECTION = re.compile(r"  (\S.*):$")


def run(*words):
    return subprocess.run([sys.argv[1], *words], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def sections(help_text):
    """Returns the title of each section and its rows: names, description."""
    found, rows = {}, []
    table = re.search(r"^OPTIONS:\n(.*?)(?=^[A-Z])", help_text, re.M | re.S)[1]
    for line in table.splitlines():
        if row := OPTION.match(line):
            rows.append([row[1], row[2] or ""])
        elif title := SECTION.match(line):
            rows = found.setdefault(title[1], [])
        elif (value := VALUE.match(line)) and not line.startswith(" " * 10):
            separator = " " if rows[-1][1].endswith(":") else "; "
            rows[-1][1] += f"{separator}`{value[1]}`: {value[2]}"
        elif line:
            rows[-1][1] += " " + line.strip()
    del found["Help"]
    return found


def listed(rows):
    return "\n".join(f"- `{names}`: {does.strip()}".replace("<", "&lt;") for names, does in rows)


verbs = dict(re.findall(r"^  ([a-z]+) - (.*)", run("--help"), re.M))
helps = {verb: run(verb, "--help") for verb in verbs}
options = {verb: sections(text) for verb, text in helps.items()}
users = {}
for verb, found in options.items():
    for names, does in sum(found.values(), []):
        users.setdefault((names, does), []).append(verb)
print("# Reference: the command\n\n"
      "Made from `--help` by `runtime/tool/help-to-options.py`; do not edit. `patchbay VERB --help` and\n"
      "`man patchbay-VERB` add examples, columns, restrictions and exit codes. `patchbay --help` describes\n"
      "durations, times, repeated options and the environment. All verbs have `-h` (one screen), `--help` and\n"
      "`--version`. [Options of several verbs](#options-of-several-verbs) are at the end.")
for verb, does in verbs.items():
    print(f"\n## {verb}\n\n{does}.\n\n    {helps[verb].splitlines()[0].removeprefix('USAGE: ')}")
    for title, rows in options[verb].items():
        if own := [row for row in rows if len(users[tuple(row)]) == 1]:
            print(f"\n{title}:\n" if title != "General" else "")
            print(listed(own))
print("\n## Options of several verbs")
shared = {}
for row, of in users.items():
    if len(of) > 1:
        shared.setdefault(tuple(of), []).append(row)
for of, rows in sorted(shared.items(), key=lambda item: (-len(item[0]), item[0])):
    print(f"\n{', '.join(of)}:\n")
    print(listed(rows))
