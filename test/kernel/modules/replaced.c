// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR GPL-2.0-only
/*
 * Redirects the calls of one function by an ops with IPMODIFY, as a livepatch does. The
 * parameter "by" selects the redirections: 0 none, 1 the first, 3 also a second one, which
 * ftrace must refuse.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#define REPLACEMENTS 2

static char *function;
module_param(function, charp, 0400);

static noinline long replacement(void)
{
	barrier();
	return 42;
}

static void go_there(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		     struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)replacement);
}

static struct ftrace_ops replacements[REPLACEMENTS] = {
	[0 ... REPLACEMENTS - 1] = {
		.func = go_there,
		.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED,
	},
};
static unsigned int by;

static int add(struct ftrace_ops *ops)
{
	int error = ftrace_set_filter(ops, function, strlen(function), 1);

	if (error)
		return error;
	error = register_ftrace_function(ops);
	if (error)
		ftrace_free_filter(ops);
	return error;
}

static int set_by(const char *value, const struct kernel_param *param)
{
	unsigned int wanted;
	int error = kstrtouint(value, 0, &wanted);

	for (int i = 0; !error && i < REPLACEMENTS; i++) {
		unsigned int bit = 1u << i;

		if (wanted & ~by & bit) {
			error = add(&replacements[i]);
			if (!error)
				by |= bit;
		} else if (by & ~wanted & bit) {
			error = unregister_ftrace_function(&replacements[i]);
			ftrace_free_filter(&replacements[i]);
			by &= ~bit;
		}
	}
	return error;
}

static const struct kernel_param_ops by_ops = {
	.set = set_by,
	.get = param_get_uint,
};
module_param_cb(by, &by_ops, &by, 0600);

static int __init replaced_init(void)
{
	return function ? 0 : -EINVAL;
}
module_init(replaced_init);

static void __exit replaced_exit(void)
{
	set_by("0", NULL);
}
module_exit(replaced_exit);

MODULE_DESCRIPTION("A function that is replaced, in a test");
/* ftrace is exported only to GPL modules. */
MODULE_LICENSE("GPL");
