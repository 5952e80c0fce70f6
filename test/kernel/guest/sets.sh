# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Adds tracers to one function and removes them. Each time, prints where the function's call
# site points, and which calls each tracer has seen.
cd /sys/kernel/tracing
insmod $(find $MODULES -name slots.ko)
show() {
	echo "$1": $(sed -n 's/^traced .*(\([0-9]*\)).*/\1 tracers,/p' enabled_functions) \
		$(grep '^traced ' enabled_functions | grep -o 'ops: [^ ]*' | wc -l) named
}
traces() {
	echo 100 >/sys/module/slots/parameters/calls
	for tracer in one two three; do
		echo "$1 $tracer": $(grep -c ': traced <-' instances/$tracer/trace)
		echo >instances/$tracer/trace
	done
}
for tracer in one two three; do
	mkdir instances/$tracer
	echo traced >instances/$tracer/set_ftrace_filter
done
for tracer in one two three; do
	echo function >instances/$tracer/current_tracer
	show "$tracer comes"
	traces "$tracer comes"
done
# Change one tracer. The others must not change.
echo nop >instances/two/current_tracer
show 'two goes'
traces 'two goes'
echo function >instances/two/current_tracer
show 'two is back'
traces 'two is back'
# Remove a tracer by its filter: this changes the call site, but not the calls.
echo wake_up_process >instances/one/set_ftrace_filter
show 'one is elsewhere'
traces 'one is elsewhere'
echo traced >instances/one/set_ftrace_filter
# Turn ftrace off for a while. Since Linux 7.3 the kernel refuses that.
refusal=$(echo 0 2>&1 >/proc/sys/kernel/ftrace_enabled)
if [ "$refusal" ]; then
	echo refused: ftrace_enabled is $(cat /proc/sys/kernel/ftrace_enabled)
else
	traces off
	echo 1 >/proc/sys/kernel/ftrace_enabled
	show 'on again'
	traces 'on again'
fi
for tracer in three two one; do
	echo nop >instances/$tracer/current_tracer
	show "$tracer goes at last"
done
for tracer in one two three; do
	rmdir instances/$tracer
done
rmmod slots
if [ ! "$refusal" ]; then
	# Load a module while ftrace is off. Tracers for the module's function already exist,
	# and see its calls when ftrace is on again, unless they were removed before.
	for tracer in one two three; do
		mkdir instances/$tracer
		echo '*' >instances/$tracer/set_ftrace_notrace
		echo function >instances/$tracer/current_tracer
	done
	echo 0 >/proc/sys/kernel/ftrace_enabled
	insmod $(find $MODULES -name slots.ko)
	traces 'module comes while off'
	echo 1 >/proc/sys/kernel/ftrace_enabled
	show 'module, on again'
	traces 'module, on again'
	rmmod slots
	echo 0 >/proc/sys/kernel/ftrace_enabled
	insmod $(find $MODULES -name slots.ko)
	echo module comes while off: $(grep -c '^traced ' enabled_functions) call sites
	for tracer in one two three; do
		echo nop >instances/$tracer/current_tracer
		rmdir instances/$tracer
	done
	echo tracers went while off: $(grep -c '^traced ' enabled_functions) call sites
	echo 100 >/sys/module/slots/parameters/calls
	echo 1 >/proc/sys/kernel/ftrace_enabled
	echo 100 >/sys/module/slots/parameters/calls
	echo tracers went, on again: $(grep -c '^traced ' enabled_functions) call sites
	rmmod slots
fi
insmod $(find $MODULES -name helped.ko)
dmesg | sed -n 's/.*\(helped: \)/\1/p'
rmmod helped
