# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Faults that are made on purpose: what a kernel that looks for them must have said.
insmod $(find $MODULES -name faults.ko)
rmmod faults
dmesg | grep -E 'BUG:|WARNING:'
