# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tracers and BPF programs come and go on one CPU while another calls, and while a
# module whose function is traced is loaded and unloaded.
cd /sys/kernel/tracing
mkdir instances/module
(while [ ! -e /tmp/done ]; do
	insmod $(find $MODULES -name slots.ko)
	echo traced >instances/module/set_ftrace_filter
	echo function >instances/module/current_tracer
	echo 100 >/sys/module/slots/parameters/calls
	rmmod slots
	echo nop >instances/module/current_tracer
done) 2>/dev/null &
$STORM $SECONDS_OF_STORM
touch /tmp/done
wait
echo left: $(wc -l <enabled_functions)
