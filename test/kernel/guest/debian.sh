# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian's programs have their own root, with the system's mounts visible.
mkdir -p $DEBIAN/proc $DEBIAN/sys $DEBIAN/dev $DEBIAN/tmp
for folder in proc sys dev; do
	mount -o rbind /$folder $DEBIAN/$folder
done
