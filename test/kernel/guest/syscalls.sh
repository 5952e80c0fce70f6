# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures the kernel's instructions for system calls, and the number of calls of LSM hooks.
# The hooks of the LSM "bpf" and the handlers of a tracepoint are static calls.
$SYSCALLS
echo LSMs: $(cat /sys/kernel/security/lsm)
