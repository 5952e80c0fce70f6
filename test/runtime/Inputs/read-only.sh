#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# read-only.sh FOLDER COMMAND...: COMMAND finds nothing in FOLDER, and may write nowhere
# where one usually may, but in $WRITABLE. In a mount namespace of its own.
mount --make-rprivate / || exit
mount -t tmpfs none "$1" || exit
for folder in /tmp /var/tmp /dev/shm; do
	mode=ro
	[ "$folder" = "$WRITABLE" ] && mode=rw
	mount -t tmpfs -o "$mode" none "$folder" || exit
done
shift
exec "$@"
