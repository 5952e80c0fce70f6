# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Counts a tracepoint with perf, alone and while ftrace also uses the tracepoint.
$EVENTS
echo 1 >/sys/kernel/tracing/events/syscalls/sys_enter_getppid/enable
echo >/sys/kernel/tracing/trace
$EVENTS
echo ftrace: $(grep -c sys_getppid /sys/kernel/tracing/trace) calls
echo 0 >/sys/kernel/tracing/events/syscalls/sys_enter_getppid/enable
