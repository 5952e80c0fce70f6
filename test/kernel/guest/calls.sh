# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the static calls of sc_calls.ko and no updates, in a kernel with any type of static calls.
insmod $MODULES/sc_calls.ko
dmesg | sed -n 's/^\[[^]]*\] sc: //p'
