// SPDX-License-Identifier: GPL-2.0
/* Lists its own calls, like modules of other kernels: the loader refuses the module. */
#include <linux/module.h>
#include <linux/static_call.h>

static long target_m(long x)
{
	return x + 1;
}
DEFINE_STATIC_CALL(sc_sited, target_m);

asm(".globl sc_sites_caller\n"
    "sc_sites_caller:\n"
    "1:	bl	" STATIC_CALL_TRAMP_STR(sc_sited) "\n"
    "	nop\n"
    ".pushsection .static_call_sites, \"aw\"\n"
    "	.long	1b - ., " STATIC_CALL_KEY_STR(sc_sited) " - .\n"
    ".popsection\n");

MODULE_DESCRIPTION("Has a table of static calls");
MODULE_LICENSE("GPL");
