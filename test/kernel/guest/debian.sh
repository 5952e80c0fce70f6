# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs of Debian have a root of their own, with what all of the system sees.
mkdir -p $DEBIAN/proc $DEBIAN/sys $DEBIAN/dev $DEBIAN/tmp
for folder in proc sys dev; do
	mount -o rbind /$folder $DEBIAN/$folder
done
