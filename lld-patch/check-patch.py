#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that the hook patch is small, because each line of the patch must be ported to
# the next release, and that the patches of all releases add the same lines.
#
#   check-patch.py [SERIES_FOLDER...]
#
# The default is every folder in patches/.
import pathlib
import sys

MAX_ADDED = 40
MAX_FILES = 8


def read(folder):
    """Returns the added lines of a patch series, by file."""
    added = {}
    for name in (folder / "series").read_text().splitlines():
        if not name or name.startswith("#"):
            continue
        for line in (folder / name).read_text().splitlines():
            if line.startswith("+++ "):
                file = added.setdefault(line.split()[1], [])
            elif line.startswith("+"):
                file.append(line)
    return added


def main():
    here = pathlib.Path(__file__).resolve().parent
    folders = ([pathlib.Path(arg) for arg in sys.argv[1:]] or
               sorted(path.parent for path in here.glob("patches/*/series")))
    if not folders:
        sys.exit("check-patch: no patch series found")
    failed = False
    all_hooks = {folder: read(folder) for folder in folders}
    for folder, hooks in all_hooks.items():
        added = sum(map(len, hooks.values()))
        print(f"{folder.name}: {added} added lines in {len(hooks)} files")
        if hooks != all_hooks[folders[0]]:
            print(f"check-patch: {folder} adds other lines than {folders[0]}: run 'sh "
                  f"lld-patch/refresh.sh SOURCE' with the series that is right",
                  file=sys.stderr)
            failed = True
        if added > MAX_ADDED or len(hooks) > MAX_FILES:
            print(f"check-patch: the hook patch in {folder} may have {MAX_ADDED} "
                  f"added lines in {MAX_FILES} files; move code to lld-patch/src",
                  file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
