# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The kernel's own tests of ftrace. With LIMIT one that takes so many of the guest's
# seconds is ended, which says that it has failed, and that it was late. What tests
# complain of is not between the name of one and its result.
cd $SELFTESTS

# All but the script itself, which has a session of its own.
end_test() {
	for stat in /proc/[0-9]*/stat; do
		read -r process name state parent group session rest <$stat || continue
		[ $session != $1 ] || [ $process = $1 ] || kill -KILL $process
	done 2>/dev/null
}

# A result is written when a test ends, and then the next one's name.
watch() {
	size= began=0
	while sleep 5 && kill -0 $1 2>/dev/null; do
		now=$(cut -d. -f1 /proc/uptime)
		if [ "$size" != "$(wc -c <said)" ]; then
			size=$(wc -c <said) began=$now
		elif [ $((now - began)) -ge $LIMIT ]; then
			echo "late: $(tail -n 1 said)" >>late
			end_test $1
		fi
	done
}

if [ "${LIMIT:-}" ]; then
	touch late said
	tail -f said &
	follower=$!
	setsid sh ./ftracetest >said 2>complaints &
	watch $!
	sleep 5
	kill $follower
	cat late
else
	./ftracetest 2>complaints
fi
for log in complaints logs/latest/*.tc-log.*; do
	[ ! -s $log ] || { echo "-- $log"; tail -n 20 $log; }
done
