#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs.py SOURCE OUTPUT: makes HTML from README.md and every page reachable from it, by pandoc.

OUTPUT has the folders of SOURCE: README.md becomes index.html of its folder, PAGE.md becomes
PAGE.html. Other files that a page links to are copied. Hidden folders lose their dot, because
web servers and uploads skip hidden files. The output depends only on the pages.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"(!?\[(?:[^][]|\[[^]]*\]|!\[[^]]*\]\([^)]*\))*\])\(([^)\s]+)\)")
FENCED = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
MANUAL = "runtime/doc/README.md"


def html_name(path):
    """Returns the file in OUTPUT for a file in SOURCE."""
    path = Path(*(part.lstrip(".") for part in path.parts))
    if path.suffix == ".md":
        path = path.with_name("index.html" if path.name == "README.md" else path.stem + ".html")
    return path


class Site:
    def __init__(self, source, output):
        self.source, self.output = source, output
        self.files = [Path("README.md")]

    def link(self, page, text, target):
        """Returns a link in PAGE for OUTPUT, or the text if the target has no page."""
        if re.match(r"[a-z]+:|#", target):
            return f"{text}({target})"
        name, mark, anchor = target.partition("#")
        path = Path(os.path.normpath(page.parent / name))
        if (self.source / path).is_dir():
            path /= "README.md"
            if not (self.source / path).exists():
                return text[1:-1]
        if path not in self.files:
            self.files.append(path)
        relative = os.path.relpath(html_name(path), html_name(page).parent)
        return f"{text}({relative}{mark}{anchor})"

    def links(self, page, markdown):
        parts = FENCED.split(markdown)
        parts[::2] = [LINK.sub(lambda found: self.link(page, *found.groups()), part)
                      for part in parts[::2]]
        return "".join(parts)

    def navigation(self, page):
        """Returns a line with a link to each page in the manual's table."""
        table = (self.source / MANUAL).read_text(encoding="utf-8")
        rows = re.findall(r"^\| (\[[^]]*\])\(([^)]*)\) \|", table, re.MULTILINE)
        links = [("[Patchbay]", "README.md"), ("[Manual]", MANUAL)]
        links += [(text, "runtime/doc/" + target) for text, target in rows]
        up = Path(os.path.relpath(".", page.parent))
        return " · ".join(self.link(page, text, str(up / target)) for text, target in links)

    def convert(self, page):
        markdown = (self.source / page).read_text(encoding="utf-8")
        heading = re.search(r"^# (.*)$", markdown, re.MULTILINE)
        title = heading.group(1) if heading else page.stem
        text = f"{self.navigation(page)}\n\n{self.links(page, markdown)}"
        result = subprocess.run(
            ["pandoc", "-f", "gfm", "-t", "html", "-s", "--no-highlight", "-M", "lang=en",
             "-V", "fontsize=16px", "-V", "mainfont=sans-serif", "-V", "linkcolor=#0550ae",
             "-V", "header-includes=<style>body { max-width: 60em; }</style>",
             "-M", f"pagetitle={title.replace('`', '')}"],
            input=text, encoding="utf-8", stdout=subprocess.PIPE, check=False)
        if result.returncode:
            sys.exit(f"docs: pandoc cannot convert {page}: its messages are above")
        return result.stdout

    def write(self):
        pages = 0
        for path in self.files:  # convert() appends the files that a page links to
            target = self.output / html_name(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".md":
                target.write_text(self.convert(path), encoding="utf-8")
                pages += 1
            else:
                shutil.copyfile(self.source / path, target)
        return pages


if len(sys.argv) != 3:
    sys.exit("docs: usage: docs.py SOURCE OUTPUT")
if not shutil.which("pandoc"):
    sys.exit("docs: pandoc not found: install pandoc, or run sh cmake/bootstrap.sh docs")
print(f"{Site(Path(sys.argv[1]), Path(sys.argv[2])).write()} pages")
