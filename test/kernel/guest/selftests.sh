# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The kernel's own tests of ftrace; WITHOUT: but those in this folder.
cd $SELFTESTS
folders=
for folder in test.d/*/; do
	[ "$folder" = "test.d/${WITHOUT:-}/" ] || folders="$folders $folder"
done
./ftracetest $folders
for log in logs/latest/*.tc-log.*; do
	[ ! -f $log ] || { echo "-- $log"; tail -n 20 $log; }
done
