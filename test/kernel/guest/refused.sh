# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Modules that must not be loaded, and the kernel's reason. The last one exists only
# beside the kernel that it was built for.
for module in sc_jump sc_bare sc_sites sc_other sc_generic; do
	[ -e $MODULES/$module.ko ] || continue
	insmod $MODULES/$module.ko 2>/dev/null && echo $module: loaded || echo $module: refused
done
dmesg | grep 'sc_jump\|sc_bare\|sc_sites\|sc_user'
