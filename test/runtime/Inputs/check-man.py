# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares man pages, as mandoc shows them, with the help of a command.

    check-man.py COMMAND FOLDER

The command and each verb that it names have a page, there is no other, and a
page has the options and the examples of the help: all of them and no others.
"""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"^ +(--?[A-Za-z][a-z-]*)", re.MULTILINE)


def run(*command):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def section(text, name, end):
    found = re.search(rf"^{name}:?\n(.*?)^{end}", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


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
    shown = run("mandoc", "-Tascii", "-Owidth=500", os.path.join(folder, name))
    shown = re.sub(".\b", "", shown)
    in_help = {match for line in help_text.splitlines()
               for match in re.findall(r"^ +(--?[A-Za-z][a-z-]*)[^-]* +- ", line)}
    in_page = set(OPTION.findall(section(shown, "OPTIONS", "[A-Z]")))
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
