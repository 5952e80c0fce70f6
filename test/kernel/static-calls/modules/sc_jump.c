// SPDX-License-Identifier: GPL-2.0
/* Jumps to its static call, so r2 is not restored: the loader refuses the module. */
#include <linux/module.h>
#include <linux/static_call.h>

static long target_m(long x)
{
	return x + 1;
}
DEFINE_STATIC_CALL(sc_jumped, target_m);

asm(".globl sc_jump_caller\n"
    "sc_jump_caller:\n"
    "	b	" STATIC_CALL_TRAMP_STR(sc_jumped) "\n"
    "	nop\n");

MODULE_DESCRIPTION("Jumps to a static call");
MODULE_LICENSE("GPL");
