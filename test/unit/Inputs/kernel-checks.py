# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernel-checks.py CHECK FILE...: what a check of test/kernel says to outputs."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernel"))
import checks  # noqa: E402

texts = [Path(name).read_text() for name in sys.argv[2:]]
for what, good, _ in getattr(checks, sys.argv[1])(*texts):
    print("ok:" if good else "FAILED:", what)
