#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# with-yama.sh SCOPE COMMAND...: runs COMMAND where the kernel seems to have Yama with this
# ptrace_scope. Nothing enforces it: what is looked at is only what is said of it.
set -eu
scope=$1
shift
# shellcheck disable=SC2016
exec unshare -m sh -c '
	mount -t tmpfs none /proc/sys/kernel
	mkdir /proc/sys/kernel/yama
	echo "$0" >/proc/sys/kernel/yama/ptrace_scope
	exec "$@"' "$scope" "$@"
