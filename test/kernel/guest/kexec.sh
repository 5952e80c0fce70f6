# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The kernel boots itself after its static calls have been patched. The new kernel has
# busybox, one module, and kexeced.sh as its init.
insmod $MODULES/sc_user.ko && rmmod sc_user
mkdir -p /tmp/root/bin /tmp/root/dev
cp /bin/busybox /tmp/root/bin
ln -s busybox /tmp/root/bin/sh
mknod /tmp/root/dev/console c 5 1
cp $MODULES/sc_calls.ko /tmp/root
cp $NEXT /tmp/root/init
chmod +x /tmp/root/init
(cd /tmp/root && find . | cpio -o -H newc >/tmp/initrd)
echo leaving
$KEXEC $KERNEL /tmp/initrd "$(cat /proc/cmdline) kexeced"
