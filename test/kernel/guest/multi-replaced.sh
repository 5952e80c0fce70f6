# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# BPF programs on a function whose calls are redirected by another tracer, as by a livepatch.
#
# First replace two functions of a program on several functions, and count how often the
# program's trampolines are made.
cd /sys/kernel/tracing
insmod $(find $MODULES -name replaced.ko) function=$($REPLACED names)
echo arch_prepare_bpf_trampoline >set_ftrace_filter
echo function >current_tracer
$REPLACED several
echo trampolines: $(grep -c arch_prepare_bpf_trampoline trace)
echo nop >current_tracer
echo >set_ftrace_filter
rmmod replaced
insmod $(find $MODULES -name replaced.ko) function=$($REPLACED name)
$REPLACED
rmmod replaced
echo left: $(wc -l </sys/kernel/tracing/enabled_functions)
