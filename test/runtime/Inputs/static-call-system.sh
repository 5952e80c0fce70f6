# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# Runs the tests of static calls in an emulated guest; the folder is $1.
set -e
for program in pie exe variant; do
	echo $program
	"$1/$program"
done
echo storm
"$1/storm" "$1/plugin.so" 5
