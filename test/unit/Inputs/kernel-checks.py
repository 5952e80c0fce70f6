# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernel-checks.py [MODULE.]CHECK FILE|WORD...: applies a check of test/kernel to outputs."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernel"))
import checks  # noqa: E402
import durations  # noqa: E402
import multi  # noqa: E402
import static_calls  # noqa: E402

texts = [Path(name).read_text() if Path(name).exists() else
         int(name) if name.isdigit() else name for name in sys.argv[2:]]
module, _, name = sys.argv[1].rpartition(".")
modules = {"multi": [multi], "durations": [durations]}.get(module, [checks, static_calls])
check = next(getattr(module, name) for module in modules if hasattr(module, name))
for what, good, _ in check(*texts):
    print("ok:" if good else "FAILED:", what)
