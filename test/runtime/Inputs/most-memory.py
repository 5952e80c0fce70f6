# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""most-memory.py MB COMMAND...: exits with COMMAND's status, or with 1 if COMMAND used more than MB
of memory."""
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"{used} MB", file=sys.stderr)
sys.exit(status or used > int(sys.argv[1]))
