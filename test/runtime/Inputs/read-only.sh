#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# read-only.sh FOLDER COMMAND...: runs COMMAND in a mount namespace where FOLDER is empty and
# the usual temporary folders are read-only, except $WRITABLE.
mount --make-rprivate / || exit
mount -t tmpfs none "$1" || exit
for folder in /tmp /var/tmp /dev/shm; do
	mode=ro
	[ "$folder" = "$WRITABLE" ] && mode=rw
	mount -t tmpfs -o "$mode" none "$folder" || exit
done
shift
exec "$@"
