# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares man pages in mandoc's output with the help of a command.

    check-man.py COMMAND FOLDER

The command and each of its verbs have exactly one page each. A page has the same options and
examples as the help. Help and pages fit in 80 columns."""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"^ +(-\S.*?)(?:  |$)", re.MULTILINE)


def run(*command):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def section(text, name, end):
    found = re.search(rf"^{name}:?\n(.*?)^{end}", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def check_width(name, text):
    for line in text.splitlines():
        if len(line) > 80:
            sys.exit(f"{name}: line of {len(line)} columns: {line}")


def names(text):
    return {name for row in OPTION.findall(text)
            for name in re.findall(r"(?<!\S)--?[A-Za-z][a-z-]*", row)}


def words(text):
    return [line.split() for line in text.splitlines() if line.strip()]


command, folder = sys.argv[1:]
verbs = re.findall(r"^  ([a-z]+) +- ", run(command, "--help"), re.MULTILINE)
pages = {f"patchbay-{verb}.1": [verb] for verb in verbs}
pages["patchbay.1"] = []
if set(os.listdir(folder)) != set(pages):
    sys.exit(f"pages and verbs differ: {set(os.listdir(folder)) ^ set(pages)}")
options = 0
for name, verb in pages.items():
    help_text = run(command, *verb, "--help")
    path = os.path.join(folder, name)
    check_width(f"help of {name}", help_text)
    check_width(name, re.sub(".\b", "", run("mandoc", "-Tascii", "-Owidth=78", path)))
    shown = run("mandoc", "-Tascii", "-Owidth=500", path)
    shown = re.sub(".\b", "", shown)
    in_help = names(section(help_text, "OPTIONS", "[A-Z]"))
    in_page = names(section(shown, "OPTIONS", "[A-Z]"))
    if in_help != in_page:
        sys.exit(f"{name}: options differ: {in_help ^ in_page}")
    options += len(in_page)
    examples = words(section(help_text, "EXAMPLES", "[A-Z]"))
    if not examples or examples != words(section(shown, "EXAMPLES", "[A-Z]")):
        sys.exit(f"{name}: examples differ:\n{examples}\n"
                 f"{words(section(shown, 'EXAMPLES', '[A-Z]'))}")
    if not re.search(r"^NAME\n +patchbay\S* - [a-z]", shown, re.MULTILINE):
        sys.exit(f"{name}: no line for whatis(1)")
print(f"{len(pages)} pages with {options} options")
