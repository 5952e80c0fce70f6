// SPDX-License-Identifier: GPL-2.0
/* Makes a static call without a nop to restore r2: the loader refuses the module. */
#include <linux/module.h>
#include <linux/static_call.h>

static long target_m(long x)
{
	return x + 1;
}
DEFINE_STATIC_CALL(sc_bared, target_m);

asm(".globl sc_bare_caller\n"
    "sc_bare_caller:\n"
    "	bl	" STATIC_CALL_TRAMP_STR(sc_bared) "\n"
    "	blr\n");

MODULE_DESCRIPTION("Calls a static call without a nop behind");
MODULE_LICENSE("GPL");
