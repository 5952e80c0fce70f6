#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The init of a kernel that kexec.sh has started. The last output equals that of the first
# kernel's init, because the host waits for it.
export PATH=/bin
/bin/busybox --install -s /bin
mkdir -p /proc /sys
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
for port in 0 2; do stty -F /dev/ttyS$port raw -echo; done
{
	echo "== kexeced"
	cat /proc/cmdline
	insmod /sc_calls.ko
	dmesg | sed -n 's/^\[[^]]*\] sc: //p'
	echo "== log"
	dmesg
	echo tainted: $(cat /proc/sys/kernel/tainted)
	echo "== end"
} >/dev/ttyS0 2>&1
echo "exit 0" >/dev/ttyS2
poweroff -f
