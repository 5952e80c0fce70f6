#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints 60 comments, 30 messages and 10 sections of documents, drawn at random from the tree,
to check how many need a second reading.

    sample_texts.py SEED

A message is a string of at least five words in the sources of runtime, plugin and linker. For
one commit, a seed always draws the same texts.
"""
import random
import re
import subprocess
import sys
import textwrap
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
USERS = ("lld-patch/src/", "llvm-pass/", "runtime/")
BLOCK = re.compile(r"/\*(?:.|\n)*?\*/|(?:^[ \t]*//.*\n)+", re.MULTILINE)
HASHES = re.compile(r'(?:^[ \t]*#(?!!).*\n)+|"""(?:.|\n)*?"""', re.MULTILINE)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
# A code block may have lines that begin like a heading.
SECTION = re.compile(r"^#+ .*\n(?:```(?:.|\n)*?^```\n?|(?!#+ ).*\n?)+?(?=^#+ |\Z)", re.MULTILINE)
# Lines without prose: licences, commands and expectations of tests.
NO_TEXT = re.compile(r"SPDX|clang-format|shellcheck|^\W*[A-Z0-9][A-Z0-9_-]+:|\{\{")


def words(text):
    return len(re.findall(r"(?<![^\s\"'(])[A-Za-z]{2,}(?![^\s\"',.:;)])", text))


def texts():
    """Yields the type, the file and line, and the contents of each text."""
    names = subprocess.run(["git", "-C", SOURCE, "ls-files"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    for name in names:
        path = SOURCE / name
        if path.suffix == ".md":
            found = [("page", part) for part in SECTION.finditer(path.read_text())]
        elif path.suffix in (".c", ".h", ".cpp", ".S", ".js"):
            text = path.read_text()
            found = [("comment", part) for part in BLOCK.finditer(text)]
            if name.startswith(USERS):
                found += [("message", part) for part in STRING.finditer(BLOCK.sub(
                    lambda comment: re.sub(r"[^\n]", " ", comment[0]), text))]
        elif path.suffix in (".py", ".sh", ".test", ".cmake") or path.name == "CMakeLists.txt":
            found = [("comment", part) for part in HASHES.finditer(path.read_text())]
        else:
            continue
        for kind, part in found:
            lines = [line for line in part[0].splitlines()
                     if kind != "comment" or not NO_TEXT.search(line)]
            text = "\n".join(lines)
            before = re.split("[;{}]", part.string[:part.start()])[-1]
            if kind == "message" and ("\\n\\t" in text or "ssert" in before):
                continue  # assembly, and assertions about the source
            if text.startswith('"""') and before.rsplit("\n", 1)[-1].strip():
                continue  # not a docstring
            if words(text) >= 5:
                yield kind, f"{name}:{part.string.count(chr(10), 0, part.start()) + 1}", text


def main():
    chance = random.Random(int(sys.argv[1]))
    kinds = {"comment": [], "message": [], "page": []}
    for kind, place, text in texts():
        kinds[kind].append((place, text))
    for kind, number in ("comment", 60), ("message", 30), ("page", 10):
        for nr, (place, text) in enumerate(chance.sample(kinds[kind], number), 1):
            print(f"{kind} {nr}: {place}\n{textwrap.indent(textwrap.dedent(text), '    ')}\n")


main()
