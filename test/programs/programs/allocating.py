# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A server whose threads allocate, for programs with an instrumented allocator."""
from pathlib import Path

from . import Image, Unit

SERVER = Path(__file__).parent.parent / "servers" / "allocating.cpp"


def link(name, *allocator):
    """The server, linked with an allocator's files."""
    return [Image(name, (Unit(SERVER, ("-std=c++17", "-fno-builtin-malloc")), *allocator),
                  ("-lstdc++", "-lm", "-ldl", "-pthread"))]
