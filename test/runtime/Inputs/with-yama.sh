#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# with-yama.sh SCOPE COMMAND...: runs COMMAND on a system whose kernel appears to have Yama
# with this ptrace_scope. The kernel does not enforce the value; COMMAND only reads it.
set -eu
scope=$1
shift
# shellcheck disable=SC2016
exec unshare -m sh -c '
	mount -t tmpfs none /proc/sys/kernel
	mkdir /proc/sys/kernel/yama
	echo "$0" >/proc/sys/kernel/yama/ptrace_scope
	exec "$@"' "$scope" "$@"
