# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Provoked faults: a kernel with fault detectors must report them.
insmod $(find $MODULES -name faults.ko)
rmmod faults
dmesg | grep -E 'BUG:|WARNING:'
