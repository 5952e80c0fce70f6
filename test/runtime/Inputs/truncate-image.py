# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""truncate-image.py PATCHBAY IMAGE: lists IMAGE truncated to many sizes.

The status must be 0, 1 or 3, as documented. An error must be reported in exactly one line.
"""
import subprocess
import sys

patchbay, image = sys.argv[1:]
with open(image, "rb") as file:
    whole = file.read()
step = max(1, len(whole) // 60)
refused = 0
for size in range(0, len(whole), step):
    with open(image + ".cut", "wb") as file:
        file.write(whole[:size])
    result = subprocess.run([patchbay, "list", image + ".cut"],
                            capture_output=True, text=True)
    lines = result.stderr.splitlines()
    if result.returncode not in (0, 1, 3):
        sys.exit(f"cut at {size}: status {result.returncode}\n{result.stderr}")
    if result.returncode and len(lines) != 1:
        sys.exit(f"cut at {size}: {len(lines)} lines\n{result.stderr}")
    refused += result.returncode != 0
if refused < 30:
    sys.exit(f"only {refused} cuts were refused")
