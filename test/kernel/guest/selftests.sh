# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The kernel's own tests of ftrace. LIMIT ends a test after so many seconds of the guest, and
# reports that it failed because of the time limit. Messages of tests do not appear between
# the name of a test and its result.
cd $SELFTESTS

# All except the script itself, which has its own session.
end_test() {
	for stat in /proc/[0-9]*/stat; do
		read -r process name state parent group session rest <$stat || continue
		[ $session != $1 ] || [ $process = $1 ] || kill -KILL $process
	done 2>/dev/null
}

# A result is written when a test ends, followed by the name of the next one.
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
