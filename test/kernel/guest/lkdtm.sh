# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Calls a function through a pointer of the wrong type: with CFI, the kernel panics.
cd /sys/kernel/debug/provoke-crash
echo CFI_FORWARD_PROTO >DIRECT
dmesg | tail -n 3
