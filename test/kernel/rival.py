# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another design for CALL_OPS with CFI: NOPs before each function, traced or not, so that all
hashes have the same distance from the entry. The patch is only for comparison and is not part
of Patchbay."""
from kernels import HERE, other_source

FOLDERS = ("kernel", "mm")


def patches(version):
    """The patches of the rival; none if there is no rival for that version."""
    return sorted((HERE / "rival").glob(f"{version}.patch"))


def source(ours, version, out):
    """The source with the rival's patch instead of ours."""
    return other_source(ours, version, out / "rival-source", patches(version))


def build(kernel):
    """Compiles only the compared files."""
    kernel.configure()
    kernel.make(*(f"{folder}/" for folder in FOLDERS))


def objects(*kernels):
    """Returns the objects that all these kernels have, by their paths."""
    found = []
    for kernel in kernels:
        commands = (file for folder in FOLDERS
                    for file in (kernel.out / folder).rglob(".*.o.cmd")
                    if "\nsource_" in file.read_text())
        found.append({(file.parent / file.name[1:-len(".cmd")]).relative_to(kernel.out)
                      for file in commands})
    return sorted(set.intersection(*found))
