# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the kernel does for system calls, and how often hooks of security modules are
# asked: those of bpf, which are called by static calls, as what a tracepoint calls is.
$SYSCALLS
echo LSMs: $(cat /sys/kernel/security/lsm)
