// SPDX-License-Identifier: GPL-2.0
/*
 * A module that is loaded and unloaded while the static calls that it uses are updated. The
 * module also updates its own static call, and prints the result of a caller in the kernel.
 */
#include <linux/module.h>
#include <linux/test_static_call.h>

static long data_m = 1;
DECLARE_TEST_CALLERS(mk);
TEST_CALLERS(mk, test_k, test_pointer_k, test_target_k, data_m)

static noinline long target_m(long x)
{
	return x + READ_ONCE(data_m);
}

DEFINE_STATIC_CALL(sc_own, target_m);

static int __init sc_user_init(void)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < 1000; i++)
		wrong += test_static_mk(i) != i + 1;
	for (i = 0; i < 10; i++) {
		static_call_update(sc_own, i & 1 ? target_m : test_target_k);
		wrong += static_call(sc_own)(i) + READ_ONCE(data_m) != i + 2;
	}
	pr_info("sc: user %u wrong, a caller in the kernel %ld\n", wrong, test_static_k(1));
	return 0;
}

static void __exit sc_user_exit(void)
{
}

module_init(sc_user_init);
module_exit(sc_user_exit);
MODULE_DESCRIPTION("Uses a static call of the kernel");
MODULE_LICENSE("GPL");
