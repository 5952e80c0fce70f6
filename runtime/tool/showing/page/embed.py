# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes one page of the files here, as C++: embed.py OUTPUT.

The page allows itself this script and this style, by their hashes, and nothing else.
Chart libraries were weighed: what is drawn here, calls by the hundred thousand on a canvas,
none of them draws, and what they would help with, an axis and bars, is some ninety lines.
For these the build would need a second package registry.
"""
import base64
import hashlib
import os
import sys

SCRIPTS = ("common", "data", "trees", "timeline", "timeline-input", "flame", "histogram", "table", "main")


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
        # Compilers have a limit for one literal.
        for at in range(0, len(page), 8000):
            file.write(f'\n    R"embedded({page[at:at + 8000]})embedded"')
        file.write(";\n")


main(*sys.argv[1:])
