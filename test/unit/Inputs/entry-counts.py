# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what patchable entries execute, and checks what they promise: off, they
are one instruction; on, a processor that pairs calls and returns stays right."""
import sys
from dataclasses import astuple
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
from harness import entries  # noqa: E402
from harness.emulate import Count  # noqa: E402
from harness.toolchain import Toolchain  # noqa: E402

counts = entries.count(Toolchain(sys.argv[1]))
for form, (count, unpaired) in counts.items():
    print(f"{form}: {'/'.join(map(str, astuple(count)))}/{unpaired}")
plain, _ = counts["plain"]
assert counts["ours-off"] == (plain + Count(1), 0)
for form in "ours", "ours-any-handler", "ours-exit":
    assert counts[form][1] == 0, form
# Or nobody would notice.
assert counts["mflr-bl"][1] > 0
