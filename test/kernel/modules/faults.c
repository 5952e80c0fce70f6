// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR GPL-2.0-only
/*
 * Provokes harmless faults when loaded. A kernel with detectors reports each fault. The
 * last ones are a wrong order of locks and, for KASAN, a use of freed memory, because
 * lockdep turns itself off after these reports.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static DEFINE_SPINLOCK(held);
static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static int value;
static int __rcu *pointer = (int __rcu __force *)&value;

static void sleep_with_lock(void)
{
	spin_lock(&held);
	might_sleep();
	spin_unlock(&held);
}

static int read_outside_rcu(void)
{
	return *rcu_dereference(pointer);
}

static void lock(struct mutex *a, struct mutex *b)
{
	mutex_lock(a);
	mutex_lock(b);
	mutex_unlock(b);
	mutex_unlock(a);
}

static noinline int read_freed(void)
{
	int *memory = kzalloc(64, GFP_KERNEL);

	if (!memory)
		return 0;
	kfree(memory);
	return READ_ONCE(*memory);
}

static int __init faults_init(void)
{
	sleep_with_lock();
	read_outside_rcu();
	lock(&first, &second);
	lock(&second, &first);
	read_freed();
	return 0;
}

static void __exit faults_exit(void)
{
}

module_init(faults_init);
module_exit(faults_exit);
MODULE_DESCRIPTION("Faults that a kernel must tell");
MODULE_LICENSE("GPL");
