# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs samples/ftrace/ftrace-ops with different numbers of relevant and irrelevant tracers.
# The module measures in its init function, which then fails, so that insmod can be repeated.
module=$(find /lib/modules/*/ -name ftrace-ops.ko)
calls=1000
for relevant in 0 1 2 10 100; do
	for irrelevant in 0 1 2 10 100; do
		insmod $module nr_function_calls=$calls \
			nr_ops_relevant=$relevant nr_ops_irrelevant=$irrelevant 2>/dev/null
		echo $relevant $irrelevant $calls $(dmesg | sed -n \
			's/.*Attempted .* in \([0-9]*\)ns.*/\1/p' | tail -n 1)
	done
done
insmod $module check_count=1 nr_ops_relevant=10 nr_ops_irrelevant=10 2>/dev/null
dmesg | grep 'Counter called'
