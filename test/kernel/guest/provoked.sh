# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Provokes faults that a kernel with fault detectors must report.
insmod $(find $MODULES -name faults.ko)
rmmod faults
dmesg | grep -E 'BUG:|WARNING:'
