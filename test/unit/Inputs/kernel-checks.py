# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernel-checks.py CHECK FILE|WORD...: what a check of test/kernel says to outputs."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernel"))
import checks  # noqa: E402
import static_calls  # noqa: E402

texts = [Path(name).read_text() if Path(name).exists() else
         int(name) if name.isdigit() else name for name in sys.argv[2:]]
check = getattr(checks, sys.argv[1], None) or getattr(static_calls, sys.argv[1])
for what, good, _ in check(*texts):
    print("ok:" if good else "FAILED:", what)
