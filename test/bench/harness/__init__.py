# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all suites of the benchmark share. A suite builds programs (toolchain,
systems, functions), times them against each other (paired, worker) or weighs
them (elf), and adds rows to the report."""


class BenchError(Exception):
    """Nothing can be measured, or what was measured is not what was meant."""
