# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# gcc.sh GCC ARGUMENTS: GCC without what the kernel was configured to give to clang
# and GCC does not know.
gcc=$1
shift
for argument; do
	shift
	[ "$argument" = -fexperimental-late-parse-attributes ] || set -- "$@" "$argument"
done
exec "$gcc" "$@"
