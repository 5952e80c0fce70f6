# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Records a program's calls while the kernel traces its own calls for the same task, with the
# same clock. Prints the program's files and the kernel's trace, in the kernel's text format
# and in that of trace-cmd.
cd /sys/kernel/tracing
echo 0 >tracing_on
echo mono >trace_clock
for option in abstime proc tail; do echo 1 >options/funcgraph-$option; done
echo 32768 >buffer_size_kb
echo 6 >max_graph_depth
echo arch_counter_read >set_ftrace_notrace
echo function_graph >current_tracer
mkdir /tmp/both
sh -c 'echo $$ >set_ftrace_pid
	echo 1 >tracing_on
	PATCHBAY=filter=*,tracer=function_graph,output=/tmp/both LD_PRELOAD=$RUNTIME \
		exec $BOTH /proc/version /proc/meminfo /proc/cmdline'
echo 0 >tracing_on
file() {
	echo "file: $1"
	gzip | base64
	echo end of file
}
cat trace | file kernel
chroot $DEBIAN /usr/bin/trace-cmd extract -o /tmp/trace.dat >/dev/null
chroot $DEBIAN /usr/bin/trace-cmd report -t -O fgraph:tailprint /tmp/trace.dat | file trace-cmd
tar -c -C /tmp both | file recording
