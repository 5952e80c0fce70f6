#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_pages.py SOURCE TESTS: checks the links of all pages of a source tree, and that a
test runs the commands of each page of the manual.

A link to a file or folder of the tree needs that file, and one to a heading that heading.
TESTS is the folder with PAGE.test for each page that has commands. Blocks that name a test
are those that run_manual.py describes.
"""
import re
import sys
from pathlib import Path

SOURCE, TESTS = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh$", re.MULTILINE)
ELSEWHERE = re.compile(r"^```sh test=(\S+)$", re.MULTILINE)


def anchors(page):
    """The names that GitHub gives the headings of a page."""
    for heading in re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text()), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        yield re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


faults = []
pages = [page for folder in (".github", "cmake", "lld-patch", "llvm-pass", "runtime", "test")
         for page in (SOURCE / folder).rglob("*.md")] + [SOURCE / "README.md"]
links = 0
for page in sorted(pages):
    name = page.relative_to(SOURCE)
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        if "://" in link or link.startswith("mailto:"):
            continue
        links += 1
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if target.is_dir() and anchor:
            target /= "README.md"
        if not target.exists():
            faults.append(f"{name}: no such file: {link}")
        elif anchor and anchor not in anchors(target):
            faults.append(f"{name}: no such heading: {link}")
for page in sorted((SOURCE / "runtime/doc").glob("*.md")):
    text = page.read_text(encoding="utf-8")
    if SHELL.search(text) and not (TESTS / f"{page.stem}.test").is_file():
        faults.append(f"runtime/doc/{page.name}: no test runs its commands")
    for test in ELSEWHERE.findall(text):
        if not (SOURCE / "test" / test).is_file():
            faults.append(f"runtime/doc/{page.name}: no such test: {test}")
print("\n".join(faults) or f"{links} links lead somewhere")
sys.exit(bool(faults))
