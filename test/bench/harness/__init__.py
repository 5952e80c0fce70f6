# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by all suites of the benchmark. A suite builds programs (toolchain,
systems, functions), times them against each other (paired, worker) or measures
their size (elf), and adds rows to the report."""


class BenchError(Exception):
    """A measurement is impossible, or would measure something else."""
