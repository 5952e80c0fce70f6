# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CMakeLists.txt contains the version. Prints each line with a different version: in a source
that repeats the version, and in a document that names another release.

    check-version.py SOURCE
"""
import os
import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
VERSION = re.search(r"^project\(Patchbay VERSION (\S+) ",
                    (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
NEWEST = {"CHANGELOG.md": rf"## {re.escape(VERSION)}\b",
          "cmake/debian/changelog": rf"patchbay \({re.escape(VERSION)}-\d+\)"}
RELEASE = re.compile(r"patchbay[-_ ]v?(\d+\.\d+\.\d+)", re.IGNORECASE)


def files():
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = sorted(name for name in folders
                            if name not in (".git", "build", "examples", "__pycache__", "test"))
        yield from (Path(folder, name) for name in sorted(names))


for path in files():
    name = path.relative_to(SOURCE).as_posix()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        continue
    document = path.suffix == ".md" or name in NEWEST
    for number, line in enumerate(lines, 1):
        if document:
            wrong = any(release != VERSION for release in RELEASE.findall(line))
        else:
            wrong = name != "CMakeLists.txt" and re.search(rf"\b{re.escape(VERSION)}\b", line)
        if wrong:
            print(f"{name}:{number}: {line.strip()}")
for name, newest in NEWEST.items():
    text = (SOURCE / name).read_text(encoding="utf-8")
    entry = re.search(r"^(## \d.*|patchbay \(.*)$", text, re.MULTILINE)[0]
    if not re.match(newest, entry):
        print(f"{name}: the newest entry is not of {VERSION}: {entry}")
print("version", VERSION)
