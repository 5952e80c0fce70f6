// SPDX-License-Identifier: GPL-2.0
/*
 * One CPU makes static calls, from the kernel and from this module. Another CPU updates
 * them: to targets in both, to NULL and back. The init function does all of this, and
 * prints the results.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/test_static_call.h>

static unsigned int updates = 1000;
module_param(updates, uint, 0);

static long data_m = 1;
static noinline long target_m(long x)
{
	return x + READ_ONCE(data_m);
}

static noinline void event_m(void)
{
	WRITE_ONCE(test_events, test_events + READ_ONCE(data_m));
}

DEFINE_STATIC_CALL(sc_storm, target_m);
DEFINE_STATIC_CALL_NULL(sc_storm_event, event_m);
DECLARE_TEST_CALLERS(m);
DECLARE_TEST_CALLERS(mk);
TEST_CALLERS(m, sc_storm, test_pointer_k, target_m, data_m)
TEST_CALLERS(mk, test_k, test_pointer_k, test_target_k, data_m)

static unsigned long calls, wrong;

static int caller(void *unused)
{
	while (!kthread_should_stop()) {
		unsigned int i;

		for (i = 0; i < 100; i++) {
			wrong += test_static_k(i) != i + 1;
			wrong += test_static_m(i) != i + 1;
			wrong += test_static_mk(i) != i + 1;
			wrong += test_static_event(i) != i + 1;
			static_call_cond(test_event)();
			static_call_cond(sc_storm_event)();
		}
		calls += 6 * i;
		cond_resched();
	}
	return 0;
}

static int __init sc_storm_init(void)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct task_struct *task = kthread_create(caller, NULL, "sc_storm");
	unsigned int i;

	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	wake_up_process(task);
	for (i = 0; i < updates; i++) {
		static_call_update(test_k, i & 1 ? test_target_k : target_m);
		static_call_update(sc_storm, i & 2 ? target_m : test_target_k);
		static_call_update(test_event, i % 3 == 0 ? NULL :
				   i % 3 == 1 ? test_event_k : event_m);
		static_call_update(sc_storm_event, i % 3 == 2 ? NULL :
				   i % 3 == 1 ? test_event_k : event_m);
		cond_resched();
	}
	kthread_stop(task);
	static_call_update(test_k, test_target_k);
	static_call_update(test_event, NULL);
	pr_info("sc: storm of %u updates of four, on cpu %u %lu calls, %lu wrong\n",
		i, cpu, calls, wrong);
	return 0;
}

static void __exit sc_storm_exit(void)
{
}

module_init(sc_storm_init);
module_exit(sc_storm_exit);
MODULE_DESCRIPTION("Static calls, updated while they are called");
MODULE_LICENSE("GPL");
