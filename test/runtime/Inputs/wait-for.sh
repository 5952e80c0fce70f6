#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# wait-for.sh REGEX COMMAND...: repeats COMMAND until a line of its output matches REGEX.
regex=$1
shift
for _ in $(seq 6000); do
	"$@" 2>&1 | grep -q "$regex" && exit
	sleep 0.1
done
echo "after 600 s no line of '$*' matches '$regex'"
exit 1
