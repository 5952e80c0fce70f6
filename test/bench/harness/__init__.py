# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that all suites use. A suite builds programs (toolchain, systems, functions), compares
their times (paired, worker) or sizes (elf), and adds rows to the report."""


class BenchError(Exception):
    """A measurement is impossible, or its result would be wrong."""
