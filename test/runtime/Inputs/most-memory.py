# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""most-memory.py MB COMMAND...: exits as COMMAND does, or with 1 if it had more memory at a
time."""
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"{used} MB", file=sys.stderr)
sys.exit(status or used > int(sys.argv[1]))
