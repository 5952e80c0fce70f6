# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# record-process-yama.sh DIR: prints which user may record which process, for each value of
# kernel.yama.ptrace_scope. Runs in a guest, because the last value is permanent until the
# next boot. DIR/bin has the command.
cd "$1" || exit
chmod 1777 /tmp
setting=/proc/sys/kernel/yama/ptrace_scope
[ -e $setting ] || {
	echo "this kernel has no Yama"
	exit 1
}
mkfifo /tmp/in
sleep 1000 >/tmp/in &
keeper=$!

# start USER with|without: starts a process of that user that is not a child of the
# command
start() {
	rm -f /tmp/said
	./as-user "$1" "$2" ./visited </tmp/in >/tmp/said &
	pid=$!
	until grep -q ready /tmp/said 2>/dev/null; do sleep 0.05; done
}

# record NAME USER with|without
record() {
	name=$1
	shift
	rm -rf /tmp/out
	./as-user "$@" ./bin/patchbay record -t count -p "$pid" -F counted -o /tmp/out -- true 2>/tmp/err
	say "$name" $?
}

say() {
	if [ "$2" = 0 ]; then
		echo "$scope: $1: recorded"
	else
		sed "s/^/$scope: $1: exit code $2, /; s/process [0-9]*:/process PID:/" /tmp/err
	fi
}

for scope in 0 1 2 3; do
	echo $scope >$setting
	start 1000 without
	record root 0 with
	record user 1000 without
	record capable 1000 with
	record other 1001 without
	kill "$pid"
	# Root without the capability, as in a container.
	start 0 without
	record incapable 0 without
	kill "$pid"
	start 1000 without
	record "incapable, of another" 0 without
	kill "$pid"
	# The parent records its child.
	rm -rf /tmp/out
	./as-user 1000 without sh -c './visited </tmp/in >/dev/null & sleep 1; exec ./bin/patchbay record -t count -p $! -F counted -o /tmp/out -- true' 2>/tmp/err
	say parent $?
	killall visited
done
kill $keeper
