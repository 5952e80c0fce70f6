# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of static calls, and checks a rule for all of them: compared with a
call through a pointer, the only additional instructions are the branch to the tramp and the
padding for an indirect jump."""
import sys
from dataclasses import astuple
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
from harness import placed  # noqa: E402
from harness.emulate import Count  # noqa: E402
from harness.toolchain import Toolchain  # noqa: E402

# The additional instructions: the bl to the tramp, and the nop where a direct jump would
# be. On AArch64 also bti c.
OWN = {"powerpc64le": Count(2, direct=1), "aarch64": Count(3, direct=1)}


def text(count):
    return "/".join(map(str, astuple(count)))


for variant in placed.VARIANTS:
    counts = placed.count(Toolchain(sys.argv[1]), variant)
    for pair, direct in counts["direct"].items():
        print(f"{variant.name} {pair}: {text(direct)}")
    for case in variant.cases:
        pointer, ours = counts["pointer"][case], counts["ours"][case]
        print(f"{variant.name} {case}: {text(ours)} pointer {text(pointer)}")
        most = pointer + OWN[variant.isa.name]
        if len(set(case)) == 1:
            # Direct branches: to the tramp, to the target, and on POWER10 one more in
            # between. The only load reads the TOC pointer.
            most = Count(min(4, pointer.instructions), min(1, pointer.loads), 1, 0, 3)
        for here, limit in zip(astuple(ours), astuple(most)):
            assert here <= limit, (variant.name, case, ours, most)
