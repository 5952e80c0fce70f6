// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR GPL-2.0-only
/*
 * A function to trace; writing N to the parameter "calls" calls it N times. Also calls
 * wake_up_process(), because with LTO the kernel's own calls of it are inlined.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

static noinline int traced(int count)
{
	barrier();
	return count + 1;
}

static int count;

static int set_calls(const char *value, const struct kernel_param *param)
{
	unsigned int calls;
	int error = kstrtouint(value, 0, &calls);

	if (error)
		return error;
	for (count = 0; count < calls;)
		count = traced(count);
	wake_up_process(current);
	return 0;
}

static const struct kernel_param_ops calls_ops = {
	.set = set_calls,
	.get = param_get_int,
};
module_param_cb(calls, &calls_ops, &count, 0600);

MODULE_DESCRIPTION("Functions that are traced, in a test");
/* Some of the called functions are exported only to GPL modules. */
MODULE_LICENSE("GPL");
