# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joins the files of this directory to one page, as C++: embed.py OUTPUT.

The page's security policy allows only this script and this style, by their hashes.
The page uses no chart library: the known ones cannot draw hundreds of thousands of calls.
A library would only replace some ninety lines for an axis and bars, and the build would
need a second package registry.
"""
import base64
import hashlib
import os
import sys

SCRIPTS = ("common", "data", "trees", "scope", "timeline", "timeline-input", "marks", "flame", "histogram", "table",
           "calls", "address", "main")


def read(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, encoding="utf-8") as file:
        return "".join(line for line in file if "SPDX-License-Identifier" not in line)


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def main(output):
    script = "".join(read(name + ".js") for name in SCRIPTS)
    script = "(() => {\n" + script + "})();\n"
    style = read("style.css")
    for text in (script, style):
        if "</" in text or "<!--" in text or ')embedded"' in text:
            sys.exit("embed.py: a script or style with this would end too soon")
    page = read("page.html").replace("@SCRIPT-HASH@", digest(script)).replace("@STYLE-HASH@", digest(style))
    page = page.replace("@STYLE@", style).replace("@SCRIPT@", script)
    with open(output, "w", encoding="utf-8") as file:
        file.write('#include "showing/HtmlReport.h"\n\nconst char patchbay::HtmlTemplate[] =')
        # Compilers limit the length of a string literal.
        for at in range(0, len(page), 8000):
            file.write(f'\n    R"embedded({page[at:at + 8000]})embedded"')
        file.write(";\n")


main(*sys.argv[1:])
