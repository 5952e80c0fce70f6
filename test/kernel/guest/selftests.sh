# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the kernel's own tests of ftrace. A test that takes more than LIMIT seconds of guest
# time is ended, and fails because of the time limit. Messages of tests do not appear between
# the name of a test and its result.
cd $SELFTESTS

# Ends all processes of the test. The script has its own session, and continues.
end_test() {
	for stat in /proc/[0-9]*/stat; do
		read -r process name state parent group session rest <$stat || continue
		[ $session != $1 ] || [ $process = $1 ] || kill -KILL $process
	done 2>/dev/null
}

# Enforces LIMIT. When a test ends, the test's result and the name of the next test are written.
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
