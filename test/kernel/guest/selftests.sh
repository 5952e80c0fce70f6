# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The kernel's own tests of ftrace.
cd $SELFTESTS
./ftracetest
for log in logs/latest/*.tc-log.*; do
	[ ! -f $log ] || { echo "-- $log"; tail -n 20 $log; }
done
