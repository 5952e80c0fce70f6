# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another design for CALL_OPS with CFI: room before each function, traced or not, so that
all hashes are at one distance. The patch is only for comparison and not part of
the product."""
from kernels import HERE, other_source

FOLDERS = ("kernel", "mm")


def patches(version):
    """None if there is no rival for that version."""
    return sorted((HERE / "rival").glob(f"{version}.patch"))


def source(ours, version, out):
    """Our source with the rival's patch instead of ours."""
    return other_source(ours, version, out / "rival-source", patches(version))


def build(kernel):
    """Only the compared files."""
    kernel.configure()
    kernel.make(*(f"{folder}/" for folder in FOLDERS))


def objects(*kernels):
    """The objects compiled or assembled for all of them, by their paths."""
    found = []
    for kernel in kernels:
        commands = (file for folder in FOLDERS
                    for file in (kernel.out / folder).rglob(".*.o.cmd")
                    if "\nsource_" in file.read_text())
        found.append({(file.parent / file.name[1:-len(".cmd")]).relative_to(kernel.out)
                      for file in commands})
    return sorted(set.intersection(*found))
