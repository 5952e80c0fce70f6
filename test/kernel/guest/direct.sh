# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Loads each kernel sample of direct calls. Prints the functions that wrote to the trace, and
# those still traced after unloading. Some samples modify their call every 2 seconds.
cd /sys/kernel/tracing
insmod $(find $MODULES -name slots.ko)
for module in ftrace-direct ftrace-direct-too ftrace-direct-modify \
	ftrace-direct-multi ftrace-direct-multi-modify; do
	echo >trace
	modprobe $module || continue
	echo 0 >/sys/module/slots/parameters/calls
	sleep 5
	callers=$(sed -n 's/.*: \(my_direct_func[0-9]*\): .*/\1/p' trace | sort -u)
	direct=$(grep -c 'direct-->' enabled_functions)
	rmmod $module
	echo $module: $callers, $direct direct, $(wc -l <enabled_functions) left
done
rmmod slots
