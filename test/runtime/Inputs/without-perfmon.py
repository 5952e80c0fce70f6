# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command without CAP_PERFMON and CAP_SYS_ADMIN. Whichever user runs this script, the
command may not trace the kernel with perf_event_open(2)."""
import ctypes
import os
import sys

PR_CAPBSET_DROP = 24
libc = ctypes.CDLL(None, use_errno=True)
for capability in (21, 38):  # CAP_SYS_ADMIN, CAP_PERFMON
    libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
os.execvp(sys.argv[1], sys.argv[1:])
