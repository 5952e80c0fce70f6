# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Durations of calls, with the commands of runtime/linux/README.md: the time for which a
# buffer lasts with different sets of excluded functions, and the cost of an excluded call.
# The kernel's arguments have enabled tracing of its own boot.
cd /sys/kernel/tracing
echo boot: $(cat tracing_on)
echo 0 >tracing_on
text() {
	echo text: $1
	head -n 2000 trace
	echo end of text
}
text boot
echo nop >current_tracer
echo 0 >tracing_thresh
echo 1024 >buffer_size_kb

# Work to trace: starts programs and reads files.
work() {
	for i in 1 2 3 4; do
		cat /proc/self/maps /proc/meminfo >/dev/null
		ls /sys/kernel >/dev/null
	done
}

traced() {
	echo $1 >tracing_thresh
	echo function_graph >current_tracer
	echo >trace
	echo 1 >tracing_on
	echo began: $1: $(sed -n 's/^now ts: //p' per_cpu/cpu0/stats)
	work
	echo 0 >tracing_on
	for cpu in per_cpu/cpu*; do
		echo stats: $1: $(cat $cpu/stats)
	done
	text $1
	echo nop >current_tracer
	echo 0 >tracing_thresh
}
# On riscv, tracers of masked interrupts unwind the stack, and call these two functions for each
# frame. If the functions are traced, a timer interrupt takes longer than the timer's interval.
echo __kernel_text_address kernel_text_address >set_ftrace_notrace
traced 0
traced 10
traced 100

# Trace up to a depth, and until a function is called. The function turns tracing off, so
# reading the trace is not traced.
lines() {
	head -n 2000 trace | sed '/^#/d; s/.*|//' | grep -c "^$1"
}
echo 2 >max_graph_depth
echo $($MULTI name):traceoff >set_ftrace_filter
echo function_graph >current_tracer
echo >trace
echo 1 >tracing_on
work
before=$(cat tracing_on)
$MULTI call >/dev/null
echo stops: $before $(cat tracing_on)
echo 0 >tracing_on
echo depth: $(lines '  [^ ]') of 1, $(lines '    [^ ]') of 2, $(lines '      ') deeper
echo nop >current_tracer
echo "!$($MULTI name):traceoff" >set_ftrace_filter
echo 0 >max_graph_depth

echo >set_ftrace_notrace

# The cost of a function that is faster than the threshold, alone and with tracers of another
# function.
echo 1 >tracing_on
cost() {
	echo "cost: $1: none $($MULTI call)"
	echo 1000000 >tracing_thresh
	$MULTI name >set_ftrace_filter
	echo function_graph >current_tracer
	echo "cost: $1: function_graph $($MULTI call)"
	echo nop >current_tracer
	echo 0 >tracing_thresh
	echo >set_ftrace_filter
}
cost 0
module=$(find /lib/modules/*/ -name ftrace-ops.ko)
insmod $module nr_function_calls=1 nr_ops_relevant=0 nr_ops_irrelevant=100 persist=1
cost 100
rmmod ftrace_ops
