# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One module per suite, with a function run(bench)."""
