# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs as a process that only root may debug, even if another user owns the process."""
import ctypes
import time

PR_SET_DUMPABLE = 4

ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)
print("ready", flush=True)
time.sleep(1000)
