# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# record-process-forced.sh DIR: DIR/bin/patchbay records DIR/visited. A kernel parameter
# restricts writes to text through /proc/PID/mem.
cd "$1" || exit
chmod 1777 /tmp
mkfifo /tmp/in
./visited </tmp/in >>/tmp/said &
pid=$!
exec 3>/tmp/in
until grep -q ready /tmp/said 2>/dev/null; do sleep 0.1; done
for _ in 1 2; do
	rm -rf /tmp/out
	./bin/patchbay record -t count -p $pid -F counted -o /tmp/out -- sh -c '
		echo 50 >&3
		until grep -q "done" /tmp/said; do sleep 0.1; done' 2>/tmp/err ||
		sed "s/^/exit code $?, /; s/process [0-9]*:/process PID:/" /tmp/err
	[ ! -d /tmp/out ] || ./bin/patchbay report -i /tmp/out
	: >/tmp/said
done
echo 1 >&3
until grep -q 'done' /tmp/said; do sleep 0.1; done
echo "it goes on"
