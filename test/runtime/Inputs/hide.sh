#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hide.sh FOLDERS COMMAND...: COMMAND finds nothing in there (FOLDER:FOLDER...). In a mount
# namespace of its own.
mount --make-rprivate / || exit
for folder in $(echo "$1" | tr : ' '); do
	mount -t tmpfs none "$folder" || exit
done
shift
exec "$@"
