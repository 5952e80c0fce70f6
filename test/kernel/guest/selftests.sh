# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The kernel's own tests of ftrace; with LIMIT each for so many seconds at most, and
# WITHOUT those in this folder.
cd $SELFTESTS

# A test has several processes, so it gets a session of its own. What it was at when time
# was over is the last line, without a result.
limited() {
	setsid sh ./ftracetest $1 >said 2>&1 &
	session=$!
	(sleep $LIMIT && echo late >late && kill -KILL -$session || rm late) >/dev/null 2>&1 &
	wait $session
	kill $! 2>/dev/null
	sed "s/^\[\([0-9]\)\]/[$n\1]/; /^# of/d; /^$/d; /^===/d; /^-----/d" said
	[ ! -f late ] || printf '\t[TIMEOUT]\n'
	rm -f late
}

if [ "${LIMIT:-}" ]; then
	n=0
	for test in $(find test.d -name '*.tc' | sort); do
		case $test in test.d/${WITHOUT:-}/*) continue ;; esac
		n=$((n + 1))
		limited $test | tee -a results
	done
	echo "# of results: $(grep -c '^\[[0-9]*\].*	\[' results)"
else
	./ftracetest
fi
for log in logs/latest/*.tc-log.*; do
	[ ! -f $log ] || { echo "-- $log"; tail -n 20 $log; }
done
