#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# several.sh STATIC DYNAMIC FILE [CPU]: runs several programs in one boot.
uname -m
grep -c ^processor /proc/cpuinfo
[ $# -lt 4 ] || grep -m 1 -o "$4" /proc/cpuinfo
"$1" 'two words' ''
echo "static: $?"
"$2"
echo "dynamic: $?"
cat "$3"
kill -USR1 $$
