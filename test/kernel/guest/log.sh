# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# All that the kernel has said, how many functions it can trace, and what it holds
# against itself.
dmesg
echo traceable: $(cat /sys/kernel/tracing/dyn_ftrace_total_info)
echo tainted: $(cat /proc/sys/kernel/tainted)
