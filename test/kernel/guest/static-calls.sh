# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests static calls between the kernel and modules, and other patchers of the same code:
# kprobes and a livepatch. The last test locks the kernel down, which calls LSM hooks; these
# are also static calls.
said() {
	dmesg | sed -n 's/^\[[^]]*\] sc: //p' | tail -n ${1-999}
}
insmod $MODULES/sc_calls.ko
said
at() {
	said | sed -n "s/^site $1 at +\([0-9]*\): .*/\1/p"
}
cd /sys/kernel/tracing
probe() {
	echo "p:site $2" >>kprobe_events 2>/dev/null && echo kprobe on $1: taken ||
		echo kprobe on $1: refused
}
probe kkk test_static_k+$(at kkk)
probe mkk sc_calls:test_static_mk+$(at mkk)
probe mmm sc_calls:test_static_m+$(at mmm)
probe "trampoline k" __SCT__test_k
probe "trampoline m" sc_calls:__SCT__sc_m
at=$(at kkk)
echo "p:restore test_static_k+$((at + 4))" >>kprobe_events && echo kprobe on a restore: taken
echo 1 >events/kprobes/restore/enable
insmod $MODULES/sc_user.ko && rmmod sc_user
echo kprobe hits: $(sed -n 's/^ *restore *\([0-9]*\) .*/\1/p' kprobe_profile)
said 1
echo 0 >events/kprobes/restore/enable
echo >kprobe_events

patch=/sys/kernel/livepatch/sc_patch
settle() {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ "$(cat $patch/transition 2>/dev/null)" = 1 ] || return
		sleep 1
	done
}
insmod $MODULES/sc_patch.ko
settle
insmod $MODULES/sc_user.ko && rmmod sc_user
echo livepatched: $(said 1)
echo 0 >$patch/enabled
settle
rmmod sc_patch
insmod $MODULES/sc_user.ko && rmmod sc_user
echo as before: $(said 1)

echo 1 >events/sched/sched_switch/enable
echo >trace
sleep 1
echo 0 >events/sched/sched_switch/enable
echo tracepoints: $(grep -c sched_switch: trace)

echo LSMs: $(cat /sys/kernel/security/lsm)
echo bpf_lsm_file_open >set_ftrace_filter
echo function >current_tracer
echo >trace
cat /proc/version >/dev/null
echo bpf hooks: $(grep -c bpf_lsm_file_open trace)
echo nop >current_tracer
echo >set_ftrace_filter

echo integrity >/sys/kernel/security/lockdown
insmod $MODULES/sc_user.ko 2>/dev/null && echo lockdown: ignored
dmesg | sed -n 's/.*\(Lockdown: insmod: unsigned module loading is restricted\).*/\1/p'
