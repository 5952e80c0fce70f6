#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# attach-after.sh DIR ATTACH...: two commands ATTACH are at one process. The first, which
# had the runtime loaded, ends: what does the second say? In between it is not recorded.
dir=$1
shift

attached() {
	until grep -q attached "$1" || ! kill -0 "$2"; do sleep 0.01; done
}

"$@" >"$dir/first" 2>&1 &
first=$!
attached "$dir/first" $first
"$@" >"$dir/second" 2>&1 &
second=$!
attached "$dir/second" $second
kill -INT $first
wait $first
wait $second
echo "status $?"
cat "$dir/second"
