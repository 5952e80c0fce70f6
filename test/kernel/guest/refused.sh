# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Modules that must not be loaded, and why the kernel says it does not.
for module in sc_jump sc_bare sc_other; do
	insmod $MODULES/$module.ko 2>/dev/null && echo $module: loaded || echo $module: refused
done
dmesg | grep 'sc_jump\|sc_bare\|sc_user\|sc_other'
