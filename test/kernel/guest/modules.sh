# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Traces the function of a module with slots and of one without.
cd /sys/kernel/tracing
echo records before: $(cat dyn_ftrace_total_info)
for module in slots no_slots; do
	insmod $(find $MODULES -name ${module/_/-}.ko)
	grep "\[$module\]" available_filter_functions | sort | sed 's/^/traceable: /'
	# ftrace refuses the filter if the module has no traceable function.
	echo ":mod:$module" >set_ftrace_filter && echo function >current_tracer
	echo >trace
	echo 100 >/sys/module/$module/parameters/calls
	echo $module: $(cat /sys/module/$module/parameters/calls) calls, \
		$(grep -c ': traced <-' trace) traced
	echo nop >current_tracer
	echo >set_ftrace_filter
done
echo before: $(cat /sys/module/no_slots/parameters/before)
dmesg | grep 'cannot be traced'
rmmod no_slots
rmmod slots
echo records after: $(cat dyn_ftrace_total_info)
