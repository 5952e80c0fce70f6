# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""expect-status.py N COMMAND...: fails unless COMMAND exits with status N."""
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    sys.exit(f"{sys.argv[2:]} exited with {status}, not {sys.argv[1]}")
