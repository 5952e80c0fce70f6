# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernel-checks.py [multi.]CHECK FILE|WORD...: applies a check of test/kernel to outputs."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernel"))
import checks  # noqa: E402
import multi  # noqa: E402
import static_calls  # noqa: E402

texts = [Path(name).read_text() if Path(name).exists() else
         int(name) if name.isdigit() else name for name in sys.argv[2:]]
_, of_multi, name = sys.argv[1].rpartition("multi.")
check = next(getattr(module, name) for module in ([multi] if of_multi else [checks, static_calls])
             if hasattr(module, name))
for what, good, _ in check(*texts):
    print("ok:" if good else "FAILED:", what)
