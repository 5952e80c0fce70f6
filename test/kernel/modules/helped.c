// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR GPL-2.0-only
/*
 * A tracer that calls the function it traces, and relies on ftrace to stop the
 * recursion. One nested call is permitted, because an interrupt might make it. Another
 * tracer, which does not need recursion protection, is added and removed.
 */
#include <linux/ftrace.h>
#include <linux/module.h>

#define ENOUGH 20

static unsigned int nested, deepest;

static noinline void traced_too(void)
{
	barrier();
}

static void call_again(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct ftrace_regs *fregs)
{
	nested++;
	deepest = max(deepest, nested);
	if (nested < ENOUGH)
		traced_too();
	nested--;
}

static void do_nothing(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct ftrace_regs *fregs)
{
}

static struct ftrace_ops helped = {
	.func = call_again,
	.flags = FTRACE_OPS_FL_RECURSION,
};
static struct ftrace_ops other = { .func = do_nothing };

static int add(struct ftrace_ops *ops)
{
	return ftrace_set_filter_ip(ops, (unsigned long)traced_too, 0, 0) ?:
	       register_ftrace_function(ops);
}

static int __init helped_init(void)
{
	int error = add(&helped);

	if (error)
		return error;
	error = add(&other);
	if (error) {
		unregister_ftrace_function(&helped);
		return error;
	}
	unregister_ftrace_function(&other);
	traced_too();
	pr_info("helped: %u deep\n", deepest);
	return 0;
}
module_init(helped_init);

static void __exit helped_exit(void)
{
	unregister_ftrace_function(&helped);
}
module_exit(helped_exit);

MODULE_DESCRIPTION("A tracer that needs help, in a test");
/* ftrace is exported only to GPL modules. */
MODULE_LICENSE("GPL");
