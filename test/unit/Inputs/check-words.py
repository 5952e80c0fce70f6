# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts words of a source tree, and prints a line for each limit that the tree exceeds:

- 25,000 words in all documents (*.md), as wc -w counts
- 100 lines in README.md
- 40 lines with a pronoun for a person, such as "who calls it": callers are not persons

    check-words.py SOURCE
"""
import os
import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
PERSON = re.compile(r"\b(who|whoever|nobody|somebody)\b", re.IGNORECASE)


def texts():
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = sorted({*folders} - {".git", "build", "__pycache__"})
        for path in (Path(folder, name) for name in sorted(names)):
            try:
                yield path, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


words, persons = 0, []
for path, text in texts():
    name = path.relative_to(SOURCE)
    if path.suffix == ".md":
        words += len(text.split())
    persons += [f"{name}:{number}: {line.strip()}"
                for number, line in enumerate(text.splitlines(), 1) if PERSON.search(line)]
figures = ((words, 25000, "words of documents"),
           (len((SOURCE / "README.md").read_text().splitlines()), 100, "lines of README.md"),
           (len(persons), 40, "lines that speak of persons"))
for figure, limit, what in figures:
    print(f"{figure} {what}" + (f": more than {limit}" if figure > limit else ""))
if len(persons) > 40:
    print("\n".join(persons))
sys.exit(any(figure > limit for figure, limit, _ in figures))
