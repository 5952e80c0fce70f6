#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Unpacks a system into WORK, copies the FILEs into its folder /root/use, and runs the shell
# script on standard input there. Unpacks .tar.xz FILEs, because the system may have no xz.
#
#   inside.sh ARCHIVE WORK FILE... < SCRIPT
set -eu
archive=$1 work=$2
shift 2
root=$work/root
rm -rf "$work"
mkdir -p "$root"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
tar -xf "$archive" -C "$root" --exclude='./dev/*'
mknod -m 666 "$root/dev/null" c 1 3
mkdir "$root/root/use"
for file; do
	case $file in
	*.tar.xz) tar -xf "$file" -C "$root/root/use" ;;
	*) cp -r "$file" "$root/root/use" ;;
	esac
done
cat >"$root/root/script"
unshare --mount --propagation=private sh -ec \
	"mount -t proc proc '$root/proc' && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
	LC_ALL=C.UTF-8 HOME=/root chroot '$root' sh -ec 'cd /root/use && . /root/script'"
