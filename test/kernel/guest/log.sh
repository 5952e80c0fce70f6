# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# All that the kernel has said, and what it holds against itself.
dmesg
echo tainted: $(cat /proc/sys/kernel/tainted)
