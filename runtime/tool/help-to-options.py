#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the page of the manual with the options of all verbs, from the command's help.

    help-to-options.py PATCHBAY > runtime/doc/options.md

Sections that several verbs share, such as "Choose calls", are shown once.
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
            rows[-1][1] += f"; `{value[1]}`: {value[2]}"
        elif line:
            rows[-1][1] += " " + line.strip()
    del found["Help"]
    return found


def table(rows):
    yield from ("| option | does |", "|---|---|")
    for names, does in rows:
        yield f"| `{names}` | {does.strip()} |".replace("<", "&lt;")


verbs = dict(re.findall(r"^  ([a-z]+) - (.*)", run("--help"), re.M))
helps = {verb: run(verb, "--help") for verb in verbs}
options = {verb: sections(text) for verb, text in helps.items()}
users = {}
for verb, found in options.items():
    for title, rows in found.items():
        users.setdefault((title, str(rows)), []).append(verb)
print("# Reference: the command\n\n"
      "Made from `--help` by `runtime/tool/help-to-options.py`; do not edit. `patchbay VERB --help` and\n"
      "`man patchbay-VERB` add examples, columns, restrictions and exit codes. `patchbay --help` describes\n"
      "durations, times, repeated options and the environment. All verbs have `-h` (one screen), `--help` and\n"
      "`--version`.")
shared = {}
for verb, does in verbs.items():
    print(f"\n## {verb}\n\n{does}.\n\n    {helps[verb].splitlines()[0].removeprefix('USAGE: ')}")
    for title, rows in options[verb].items():
        if len(users[title, str(rows)]) > 1:
            shared[title, str(rows)] = rows
        else:
            print(f"\n{title}:\n" if title != "General" else "")
            print("\n".join(table(rows)))
for (title, key), rows in shared.items():
    print(f"\n## {title}\n\nOptions of {', '.join(users[title, key])}.\n")
    print("\n".join(table(rows)))
