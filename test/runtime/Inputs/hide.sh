#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hide.sh FOLDER COMMAND...: COMMAND finds nothing there. In a mount namespace of its own.
mount --make-rprivate / && mount -t tmpfs none "$1" && shift && exec "$@"
