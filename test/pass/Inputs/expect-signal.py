# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program and fails unless the named signal kills it."""
import signal
import subprocess
import sys

status = subprocess.run(sys.argv[2:], check=False).returncode
if status != -signal.Signals[sys.argv[1]]:
    sys.exit(f"{sys.argv[2]}: ended with {status}, not by {sys.argv[1]}")
