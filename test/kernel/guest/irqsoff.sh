# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes to the trace with interrupts enabled while the irqsoff tracer runs: a sample calls
# trace_printk() on page faults.
cd /sys/kernel/tracing
echo 0 >options/function-trace
echo irqsoff >current_tracer
modprobe ftrace-direct-too
ls / >/dev/null
echo 0 >tracing_on
echo written: $(timeout 1 cat trace_pipe 2>/dev/null | grep -c ': handle mm fault ')
rmmod ftrace-direct-too
echo nop >current_tracer
echo 1 >options/function-trace
echo 1 >tracing_on
