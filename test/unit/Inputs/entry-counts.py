# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of patchable entries, and checks two guarantees: disabled entries
execute OFF instructions, and enabled ones keep the CPU's return predictor balanced, with any
type of tracer."""
import sys
from dataclasses import astuple
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
from harness import entries  # noqa: E402
from harness.emulate import ISAS, Count  # noqa: E402
from harness.toolchain import Toolchain  # noqa: E402

build, isa, off = sys.argv[1:]
counts = entries.count(Toolchain(build), ISAS[isa])
for form, (count, unpaired) in counts.items():
    print(f"{form}: {'/'.join(map(str, astuple(count)))}/{unpaired}")
plain, _ = counts["plain"]
assert counts["ours-off"] == (plain + Count(int(off)), 0)
ours = [form for form in counts if form.startswith("ours")]
assert len(ours) == 7
assert all(counts[form][1] == 0 for form in ours)
# Without this check an empty result would be a success.
assert "mflr-bl" not in counts or counts["mflr-bl"][1] > 0
