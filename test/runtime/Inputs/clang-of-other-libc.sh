#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Simulates a clang that cannot load plugins. The error message contains all characters that a
# shell interprets within double quotes.
case $* in
*--version*) echo 'clang version 22' ;;
*)
	cat >&2 <<'END'
"libc.so.6": version `GLIBC_2.38' not found (by '$ORIGIN\x')
and more lines
END
	exit 1
	;;
esac
