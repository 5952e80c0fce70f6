# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The kernel's work for system calls, and the number of calls of LSM hooks. The hooks are
# bpf's, which are static calls, as are the handlers of a tracepoint.
$SYSCALLS
echo LSMs: $(cat /sys/kernel/security/lsm)
