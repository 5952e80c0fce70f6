// SPDX-License-Identifier: GPL-2.0
/* A livepatch for a kernel function that makes a static call. */
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/test_static_call.h>

static long data_m = 1;

static long livepatch_static_k(long x)
{
	return static_call(test_k)(x) + 100 * READ_ONCE(data_m);
}

static struct klp_func funcs[] = {
	{ .old_name = "test_static_k", .new_func = livepatch_static_k },
	{ }
};

static struct klp_object objs[] = {
	{ .funcs = funcs },
	{ }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objs };

static int __init sc_patch_init(void)
{
	int err = klp_enable_patch(&patch);

	if (!err)
		pr_info("sc: livepatch %ld\n", test_static_k(1));
	return err;
}

static void __exit sc_patch_exit(void)
{
	pr_info("sc: livepatch gone %ld\n", test_static_k(1));
}

module_init(sc_patch_init);
module_exit(sc_patch_exit);
MODULE_DESCRIPTION("Livepatch of a caller of a static call");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
