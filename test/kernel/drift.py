#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks whether the patches apply to another Linux. Prints a line for each patch, and below it
the hunks that have moved or do not apply. Takes a minute. Exits with 1 if a hunk does not
apply. Builds no kernel: run.py shows whether patches that apply also work."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from kernels import PATCHES, ROOT, KernelError, series

# patch(1)'s message about a hunk that has moved.
HUNK = re.compile(r"^Hunk #(\d+) (succeeded|FAILED) at (\d+)(.*?)\.?$")
FILE = re.compile(r"^(?:checking|patching) file (.*)$")


def changed(patches):
    """The files that the patches change. Files that patches create are excluded."""
    files, made = set(), set()
    for patch in patches:
        for old, new in re.findall(r"^--- (\S+)\n\+\+\+ b/(\S+)$", patch.read_text(),
                                   re.MULTILINE):
            (made if old == "/dev/null" else files).add(new)
    return sorted(files - made)


def unpack(tarball, files, tree):
    """Unpacks these files from the source archive, unless the archive lacks them."""
    patterns = [f"*/{name}" for name in files]
    done = subprocess.run(["tar", "-xf", tarball, "-C", tree, "--strip-components=1",
                           "--no-same-owner", "--wildcards", "--no-wildcards-match-slash",
                           *patterns], stderr=subprocess.PIPE, check=False, text=True)
    if not any(tree.iterdir()):
        raise KernelError(f"{tarball} has none of the files: {done.stderr.strip()[:200]}")


def version(tree):
    """The version in the Makefile of the tree."""
    text = (tree / "Makefile").read_text() if (tree / "Makefile").exists() else ""
    parts = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION) =[ \t]*(.*)$", text,
                            re.MULTILINE))
    if "VERSION" not in parts:
        return "without a version"
    return (".".join(parts[name] for name in ("VERSION", "PATCHLEVEL", "SUBLEVEL"))
            + parts["EXTRAVERSION"])


def patched(patch, tree, *options):
    return subprocess.run(["patch", "-p1", "--no-backup-if-mismatch", "--force", "-d", tree,
                           "-i", patch, *options], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True)


def hunks(text):
    """Yields the file and patch(1)'s message of each hunk that has moved or does not apply."""
    name = None
    for line in text.splitlines():
        if found := FILE.match(line):
            name = found[1].strip("'")
        elif found := HUNK.match(line):
            yield name, found
        elif line.startswith("can't find file to patch") or "does not exist" in line:
            yield None, line


def apply(patch, tree):
    """Applies the hunks that fit. Returns the result, and lines with details."""
    done = patched(patch, tree, "--fuzz=0")
    lines, failed, moved = [], 0, 0
    for name, hunk in hunks(done.stdout):
        if name is None:
            lines.append(hunk)
            failed += 1
        elif hunk[2] == "FAILED":
            lines.append(f"{name}: hunk {hunk[1]}, at line {hunk[3]}, does not fit")
            failed += 1
        else:
            moved += 1
    if done.returncode and not failed:
        lines += done.stdout.splitlines()[-3:]
    if done.returncode:
        return f"does not fit ({failed} hunks)", lines
    return (f"fits, {moved} hunks elsewhere" if moved else "fits"), lines


def source(name):
    if Path(name).is_file():
        return Path(name)
    done = subprocess.run(["sh", ROOT / "cmake" / "fetch-linux.sh", name, "trixie", "sid",
                           "experimental"], stdout=subprocess.PIPE, check=False, text=True)
    if done.returncode:
        raise KernelError(f"no source of Linux {name}: the line above says why")
    return Path(done.stdout.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", metavar="LINUX",
                        help="a version that Debian has as linux-source, or a tar archive")
    parser.add_argument("--patches", metavar="VERSION",
                        default=max((path.name for path in PATCHES.iterdir()),
                                    key=lambda name: [int(part) for part in name.split(".")]),
                        help="the patches for this Linux (default: the newest, %(default)s)")
    options = parser.parse_args()
    try:
        patches, tarball = series(options.patches), source(options.source)
        unfit = 0
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder)
            unpack(tarball, ["Makefile", *changed(patches)], tree)
            print(f"Linux {version(tree)}, patches for {options.patches}")
            for patch in patches:
                said, lines = apply(patch, tree)
                unfit += said.startswith("does not")
                print(f"{patch.name}: {said}", *lines, sep="\n| ", flush=True)
    except KernelError as error:
        print(f"drift.py: {error}", file=sys.stderr)
        return 1
    print(f"{len(patches) - unfit} fit, {unfit} do not; nothing was built or booted: "
          f"run.py ARCH {options.patches} does both")
    return bool(unfit)


if __name__ == "__main__":
    sys.exit(main())
