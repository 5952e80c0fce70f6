#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# pod.sh FOLDER PROG BUILD WHAT
#
# Simulates a Kubernetes pod as the kernel sees it. PROG is process 1 of a PID namespace, in a
# root directory without Patchbay. A second container shares the PID namespace and has its own
# root directory with BUILD at its usual path. `sh -c WHAT` runs there, as with `kubectl debug
# --target`. If WHAT begins with "outside ", it runs outside of the pod, and PID in WHAT is
# replaced by PROG's PID there.
set -e
folder=$1 prog=$2 build=$3 what=$4

# Both containers have the system's libraries, and share no other file.
make_root() {
	mkdir -p "$1/proc" "$1/tmp" "$1/dev" "$1/etc"
	for name in bin lib lib64 sbin usr; do
		if [ -L "/$name" ]; then
			cp -P "/$name" "$1/$name"
		elif [ -d "/$name" ]; then
			mkdir "$1/$name" && mount --rbind "/$name" "$1/$name"
		fi
	done
	mount --rbind /dev "$1/dev"
	cp /etc/ld.so.cache "$1/etc"
}

mount -t tmpfs pod "$folder"
make_root "$folder/app"
make_root "$folder/tool"
cp "$prog" "$folder/app/prog"
mkdir -p "$folder/tool/$build"
mount --bind "$build" "$folder/tool/$build"

unshare --pid --kill-child --root="$folder/app" --mount-proc /prog &
unshared=$!
# The process has PROG's name once PROG runs; before, its name is unshare.
pid=
until [ "$pid" ] && [ "$(cat "/proc/$pid/comm")" = prog ]; do
	pid=$(cat "/proc/$unshared/task/$unshared/children")
	pid=${pid% }
	sleep 0.05
done
status=0
case $what in
outside*)
	sh -c "$(printf '%s' "${what#outside }" | sed "s/PID/$pid/g")" || status=$? ;;
*)
	nsenter --target "$pid" --pid unshare --fork --root="$folder/tool" \
		--mount-proc sh -c "$what" || status=$? ;;
esac
kill -KILL "$pid"
wait "$unshared" 2>/dev/null || true
exit $status
