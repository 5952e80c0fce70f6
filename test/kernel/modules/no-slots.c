// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR GPL-2.0-only
/*
 * slots.c compiled without the plugin. One record pretends to have a slot: the code
 * before its function ends with the right instruction.
 */
#include <linux/linkage.h>
#include "slots.c"
#include "code.h"

asmlinkage int before_traced(void);

asm(".pushsection .text\n"
    ".balign 8\n"
    "before_traced:\n"
    RETURN_42
    "	.word	0\n"
    "deceiver:\n"
    "1:\n"
    NOPS
    "	ret\n"
    ".type before_traced, %function\n"
    ".type deceiver, %function\n"
    ".size deceiver, . - deceiver\n"
    ".popsection\n"
    ".pushsection __patchable_function_entries, \"awo\", %progbits, deceiver\n"
    ".balign 8\n"
    ".quad 1b\n"
    ".popsection\n");

static int get_before(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", before_traced());
}

static const struct kernel_param_ops before_ops = {
	.get = get_before,
};
module_param_cb(before, &before_ops, NULL, 0400);
