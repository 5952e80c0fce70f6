# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# BPF programs on a function whose calls another tracer sends elsewhere, as a livepatch
# does.
insmod $(find $MODULES -name replaced.ko) function=$($REPLACED name)
$REPLACED
rmmod replaced
echo left: $(wc -l </sys/kernel/tracing/enabled_functions)
