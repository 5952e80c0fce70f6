# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The other way to have CALL_OPS and CFI: room before each function, traced or
not, so that all hashes are at one distance. The patch is there to be compared
with, and is no part of the product."""
import os
import shutil

from kernels import HERE, apply, series

FOLDERS = ("kernel", "mm")


def patches(version):
    """None, if there is no rival for that version."""
    return sorted((HERE / "rival").glob(f"{version}.patch"))


def source(ours, version, out):
    """Our source with the rival's patch instead of ours. What neither changes are
    the same files: patch(1) writes a new one, and leaves the old one as it is. It is
    made anew if a patch changes."""
    wanted = "".join(path.read_text() for path in (*series(version), *patches(version)))
    tree, log = out / "rival-source", out / "rival-source.log"
    done = tree / ".rival"
    if done.exists() and done.read_text() == wanted:
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ours, tree, symlinks=True, copy_function=os.link)
    for patch in reversed(series(version)):
        apply(patch, tree, log, "--reverse")
    for patch in patches(version):
        apply(patch, tree, log)
    done.write_text(wanted)
    return tree


def build(kernel):
    """Only what is compared."""
    kernel.configure()
    kernel.make(*(f"{folder}/" for folder in FOLDERS))


def objects(*kernels):
    """What was compiled or assembled for all of them, by the paths there."""
    found = []
    for kernel in kernels:
        commands = (file for folder in FOLDERS
                    for file in (kernel.out / folder).rglob(".*.o.cmd")
                    if "\nsource_" in file.read_text())
        found.append({(file.parent / file.name[1:-len(".cmd")]).relative_to(kernel.out)
                      for file in commands})
    return sorted(set.intersection(*found))
