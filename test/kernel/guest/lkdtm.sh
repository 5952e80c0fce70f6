# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Calls through a pointer of the wrong type: with CFI, the kernel panics here.
cd /sys/kernel/debug/provoke-crash
echo CFI_FORWARD_PROTO >DIRECT
dmesg | tail -n 3
