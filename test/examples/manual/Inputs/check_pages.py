#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_pages.py SOURCE TESTS: checks the links of all pages of a source tree, and that a
test runs the commands of each page.

The target of a link must exist: a file, folder or heading. A block of commands begins with
"```sh test=TEST", where TEST, a file below test/, runs the block, or with "```sh", if the
page's own test runs the block: TESTS/PAGE.test for README.md and pages of the manual
(run_manual.py), PAGE.test for pages of test/examples/builds (run_page.py).
"""
import re
import sys
from pathlib import Path

SOURCE, TESTS = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(.*)\n((?:.*\n)*?)^```$", re.MULTILINE)
COMMAND = re.compile(r"(sudo |nice )?(apt|cd|clang|cmake|curl|docker|export|git|gpg|kubectl|ld\.lld|lit"
                     r"|make|ninja|patchbay|python3|sed|sh|tar|xargs)[\w.+-]* |\S+\.(py|sh) ")
MANUAL, BUILDS = SOURCE / "runtime/doc", SOURCE / "test/examples/builds"


def anchors(page):
    """Yields the anchors that GitHub makes for the headings of a page."""
    for heading in re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text()), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        yield re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def own_test(page):
    """The test that runs the blocks of a page that name no test."""
    if page.parent == MANUAL:
        return TESTS / f"{page.stem}.test"
    if page == SOURCE / "README.md":
        return TESTS / "readme.test"
    if page.parent.parent == BUILDS:
        return BUILDS / f"{page.parent.name}.test"
    return None


def unrun(page):
    """Yields the faults of a page's blocks of commands."""
    for info, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if found := re.fullmatch(r"sh test=(\S+)", info):
            if not (SOURCE / "test" / found[1]).is_file():
                yield f"no such test: {found[1]}"
        elif info == "sh" or COMMAND.match(block):
            test = own_test(page)
            if info != "sh" or not test or not test.is_file():
                yield f"no test runs its commands: {block.splitlines()[0]}"


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
    faults += [f"{name}: {fault}" for fault in unrun(page)]
print("\n".join(faults) or f"{links} links lead somewhere")
sys.exit(bool(faults))
