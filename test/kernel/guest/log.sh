# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# All that the kernel has said, how many functions it can trace, whether it still looks
# at locks, if it did, and what it holds against itself.
dmesg
echo traceable: $(cat /sys/kernel/tracing/dyn_ftrace_total_info)
[ ! -e /proc/lockdep_stats ] || sed -En 's/^ *(lock-classes|debug_locks): */\1: /p' /proc/lockdep_stats
echo tainted: $(cat /proc/sys/kernel/tainted)
