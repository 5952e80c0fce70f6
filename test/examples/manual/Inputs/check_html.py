#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_html.py FOLDER: checks that each link of the HTML pages in FOLDER leads to a file in
FOLDER, and to a heading if the link names one. Does not follow links to other sites."""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

FOLDER = Path(sys.argv[1]).resolve()


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.names.add(value)
            elif (tag, name) in (("a", "href"), ("img", "src")):
                self.links.append(value)


pages = {path: Page(path) for path in FOLDER.rglob("*.html")}
links = 0
faults = []
for path, page in sorted(pages.items()):
    for link in page.links:
        if ":" in link:
            continue
        links += 1
        name, _, anchor = unquote(link).partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.is_file() or FOLDER not in target.parents:
            faults.append(f"{path.relative_to(FOLDER)}: no such file: {link}")
        elif anchor and anchor not in pages[target].names:
            faults.append(f"{path.relative_to(FOLDER)}: no such heading: {link}")
print("\n".join(faults) or f"{links} links lead somewhere")
sys.exit(bool(faults))
