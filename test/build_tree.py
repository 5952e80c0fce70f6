# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The configuration of a build tree. The plugin of a tree is for the tree's compiler, clang."""
import re


class NoBuildTree(Exception):
    """The folder is not a build tree."""


def variable(build, name):
    """Returns a variable of CMake."""
    try:
        text = (build / "CMakeCache.txt").read_text()
    except OSError:
        raise NoBuildTree(
            f"no build tree in {build}: run `cmake --preset release` and `cmake "
            "--build --preset release`, or name another tree with --build") from None
    found = re.search(rf"^{name}:\w+=(.*)$", text, re.MULTILINE)
    if not found:
        raise NoBuildTree(f"{build} was not configured whole (no {name}): run `cmake "
                          "--preset release`, or name another tree with --build")
    return found[1]


def compiler(build):
    return variable(build, "CMAKE_C_COMPILER")
