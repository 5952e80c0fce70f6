# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The kernel's own tests of BPF programs on functions, which open files in the current folder
# and the kernel's configuration in /boot.
mkdir -p /boot
cp $CONFIG /boot/config-$(uname -r) 2>/dev/null
ip link set lo up 2>/dev/null
mount -t bpf bpf /sys/fs/bpf 2>/dev/null
# The folder of the samples. One of the samples is a livepatch.
export KBUILD_OUTPUT=$(readlink /lib/modules/$(uname -r))
cd $TESTS
./test_progs -w 3600
echo left: $(wc -l </sys/kernel/tracing/enabled_functions)
