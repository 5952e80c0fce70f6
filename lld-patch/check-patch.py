#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that the hook patch stays one: what it adds to upstream's files is
# calls of ours. Every line of it is a line to carry to the next release.
#
#   check-patch.py [SERIES_FOLDER...]
#
# Without arguments all of patches/*.
import pathlib
import sys

MAX_ADDED = 40
MAX_FILES = 8


def count(folder):
    """Added lines and touched files of a patch series."""
    added, files = 0, set()
    for name in (folder / "series").read_text().splitlines():
        if not name or name.startswith("#"):
            continue
        for line in (folder / name).read_text().splitlines():
            if line.startswith("+++ "):
                files.add(line.split()[1])
            elif line.startswith("+"):
                added += 1
    return added, len(files)


def main():
    here = pathlib.Path(__file__).resolve().parent
    folders = ([pathlib.Path(arg) for arg in sys.argv[1:]] or
               sorted(path.parent for path in here.glob("patches/*/series")))
    if not folders:
        sys.exit("check-patch: no patch series found")
    failed = False
    for folder in folders:
        added, files = count(folder)
        print(f"{folder.name}: {added} added lines in {files} files")
        if added > MAX_ADDED or files > MAX_FILES:
            print(f"check-patch: the hook patch in {folder} may have {MAX_ADDED} "
                  f"added lines in {MAX_FILES} files; move code to lld-patch/src",
                  file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
