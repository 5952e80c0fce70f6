# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernel-bpf.py NAME FILE [UNFIT | KERNEL=FILE | CONFIG_NAME=VALUE]...: applies a check of
test/kernel's bpf_selftests.py or tools.py to an output, together with outputs of other kernels,
for a kernel with this configuration."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernel"))
import bpf_selftests  # noqa: E402
import tools  # noqa: E402

name, text, *more = sys.argv[1], Path(sys.argv[2]).read_text(), *sys.argv[3:]
unfit = {test: "no such header" for test in more if "=" not in test}
beside = {kernel: bpf_selftests.results(Path(file).read_text())
          for kernel, _, file in (word.partition("=") for word in more)
          if file and not kernel.startswith("CONFIG_")}
accepted = bpf_selftests.accepted("".join(f"{word}\n" for word in more if word[:7] == "CONFIG_"))
check = (tools.bpftrace(text) if name == "bpftrace" else
         bpf_selftests.check(text, unfit, beside, accepted) if name == "check" else
         bpf_selftests.check_unpatched(text, unfit, name == "check_upstream",
                                       accepted))
for what, good, _ in check:
    print("ok:" if good else "FAILED:", what)
