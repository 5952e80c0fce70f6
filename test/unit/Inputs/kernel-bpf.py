# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernel-bpf.py NAME FILE [UNFIT]: what a check of test/kernel's bpf_selftests.py or
tools.py says to an output."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernel"))
import bpf_selftests  # noqa: E402
import tools  # noqa: E402

name, text, *unfit = sys.argv[1], Path(sys.argv[2]).read_text(), *sys.argv[3:]
unfit = {test: "no such header" for test in unfit}
check = tools.bpftrace(text) if name == "bpftrace" else getattr(bpf_selftests, name)(text, unfit)
for what, good, _ in check:
    print("ok:" if good else "FAILED:", what)
