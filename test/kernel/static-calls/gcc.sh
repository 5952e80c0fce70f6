# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# gcc.sh GCC ARGUMENTS: runs GCC with the kernel configuration's options for clang, except
# those that GCC does not know.
gcc=$1
shift
for argument; do
	shift
	[ "$argument" = -fexperimental-late-parse-attributes ] || set -- "$@" "$argument"
done
exec "$gcc" "$@"
