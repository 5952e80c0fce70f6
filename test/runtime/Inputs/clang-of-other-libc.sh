#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Is clang, but cannot load a plugin, and says so with all that double quotes keep
# no shell from reading.
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
