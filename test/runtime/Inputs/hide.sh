#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hide.sh FOLDERS COMMAND...: runs COMMAND in a mount namespace where the FOLDERS
# (FOLDER:FOLDER...) are empty.
mount --make-rprivate / || exit
for folder in $(echo "$1" | tr : ' '); do
	mount -t tmpfs none "$folder" || exit
done
shift
exec "$@"
