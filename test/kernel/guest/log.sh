# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints the kernel's log, the number of traceable functions, whether lockdep is still enabled
# (if the kernel has it), and the taint flags.
dmesg
echo traceable: $(cat /sys/kernel/tracing/dyn_ftrace_total_info)
[ ! -e /proc/lockdep_stats ] || sed -En 's/^ *(lock-classes|debug_locks): */\1: /p' /proc/lockdep_stats
echo tainted: $(cat /proc/sys/kernel/tainted)
