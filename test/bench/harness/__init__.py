# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by all suites of the benchmark. A suite builds programs (toolchain,
systems, functions), times them against each other (paired, worker) or weighs
them (elf), and adds rows to the report."""


class BenchError(Exception):
    """A measurement is impossible, or it did not measure what it should."""
