/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * There are no static calls on riscv64: the linker refuses --static-calls for this target,
 * so no module has tramps. This file replaces static_call/static_call.c.
 */
#include <patchbay/static_call.h>

#include <errno.h>

void __static_call_nop(void)
{
}

long __static_call_return0(void)
{
	return 0;
}

int __static_call_update(struct static_call_key *key, void *func)
{
	(void)key;
	(void)func;
	return -ENOENT;
}

int static_call_patch_sites(int enable)
{
	return enable ? -EOPNOTSUPP : 0;
}
