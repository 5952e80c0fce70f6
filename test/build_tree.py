# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a build tree was configured with: the compiler that its plugin is for, which
is no other than LLVM's of the same version."""
import re


class NoBuildTree(Exception):
    """The folder is none."""


def variable(build, name):
    """A variable of CMake's."""
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
