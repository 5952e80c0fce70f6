# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tries to load modules that the kernel must refuse, and prints the reasons. The last module
# exists only for some kernels.
for module in sc_jump sc_bare sc_sites sc_other sc_generic; do
	[ -e $MODULES/$module.ko ] || continue
	insmod $MODULES/$module.ko 2>/dev/null && echo $module: loaded || echo $module: refused
done
dmesg | grep 'sc_jump\|sc_bare\|sc_sites\|sc_user'
