# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Attaches one BPF program to many functions. Then measures a call of a function with the
# program, alone and with a hundred tracers of another function.
$MULTI
$MULTI 'beside 0'
module=$(find /lib/modules/*/ -name ftrace-ops.ko)
insmod $module nr_function_calls=1 nr_ops_relevant=0 nr_ops_irrelevant=100 persist=1
$MULTI 'beside 100'
rmmod ftrace_ops
echo left: $(wc -l </sys/kernel/tracing/enabled_functions)
