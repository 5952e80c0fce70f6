# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Attaches and detaches tracers and BPF programs on one CPU while another CPU makes calls,
# and a module with a traced function is loaded and unloaded.
cd /sys/kernel/tracing
mkdir instances/module
rounds=0 seen=0
(while [ ! -e /tmp/done ]; do
	insmod $(find $MODULES -name slots.ko)
	echo traced >instances/module/set_ftrace_filter
	echo function >instances/module/current_tracer
	echo 100 >/sys/module/slots/parameters/calls
	grep -q ': traced <-' instances/module/trace && seen=$((seen + 1))
	echo >instances/module/trace
	rmmod slots
	echo nop >instances/module/current_tracer
	rounds=$((rounds + 1))
done
echo module: $rounds rounds, traced in $seen) 2>/dev/null &
$STORM $SECONDS_OF_STORM ${CALLERS:-1}
touch /tmp/done
wait
echo left: $(wc -l <enabled_functions)
