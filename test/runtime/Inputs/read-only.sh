#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# read-only.sh FOLDER COMMAND...: COMMAND finds nothing in FOLDER, and may write nowhere
# where one usually may. In a mount namespace of its own.
mount --make-rprivate / || exit
mount -t tmpfs none "$1" || exit
for folder in /tmp /var/tmp /dev/shm; do
	mount -t tmpfs -o ro none "$folder" || exit
done
shift
exec "$@"
