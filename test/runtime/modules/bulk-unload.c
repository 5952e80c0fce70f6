/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A library can be unloaded while a failed arming of its functions waits. One of many
 * functions has been changed by another writer, and text cannot be written. Arming
 * fails and waits for a handler, to reuse the cells. The library is unloaded during
 * that wait. The changed function is counted, and unloaded memory is never read.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t %t.so | FileCheck %s
// CHECK: {{^}}done{{$}}
#include "../Inputs/check.h"
#include "../Inputs/repeat.h"

#ifdef LIBRARY
#define FUNCTION(n) OPAQUE int odd##n(int a) { return a + 1; }
X256(FUNCTION, _)
#else

#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

OPAQUE int slow(int a) { return a; }

static struct patchbay_ops *ops, *other;
static sem_t inside, go_on;
static uintptr_t changed;

UNTRACED static void nothing(uintptr_t ip, uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
}

UNTRACED static void wait_here(uintptr_t ip, uintptr_t parent_ip,
			       const struct patchbay_cell *cell,
			       struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	sem_post(&inside);
	while (sem_wait(&go_on))
		;
}

/* The library calls @check for each function. */
UNTRACED static int accept(void *arg, const struct patchbay_target *target)
{
	(void)arg, (void)target;
	return 0;
}

UNTRACED static int find_site(const struct patchbay_site_info *site, void *arg)
{
	if (site->entry != changed)
		return 0;
	*(uintptr_t *)arg = site->site;
	return 1;
}

/* Sets a breakpoint, as a debugger does. */
UNTRACED static void change_site(void)
{
	const int text = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	uintptr_t site = 0;

	CHECK_EQ(patchbay_for_each_site(find_site, &site), 1);
	CHECK(text >= 0);
	CHECK_EQ(pwrite(text, "\xcc", 1, (off_t)site), 1);
	close(text);
}

UNTRACED static void *call_slow(void *arg)
{
	slow(1);
	return arg;
}

UNTRACED static void *arm_all(void *arg)
{
	CHECK_EQ(patchbay_arm(ops, "odd_*", PATCHBAY_ARM_SKIP), -EMFILE);
	return arg;
}

static struct patchbay_ops *create(patchbay_handler handler,
				   int (*check)(void *, const struct patchbay_target *))
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler,
						.check = check };
	struct patchbay_ops *created;

	CHECK_EQ(patchbay_ops_create(&attr, &created), 0);
	return created;
}

static uint64_t refused(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats.refused[PATCHBAY_SITE_UNKNOWN];
}

int main(int argc, char **argv)
{
	const struct rlimit none = { 0, 0 };
	pthread_t caller, armer;
	void *library;

	CHECK_EQ(argc, 2);
	sem_init(&inside, 0, 0);
	sem_init(&go_on, 0, 0);
	library = dlopen(argv[1], RTLD_NOW);
	CHECK(library);
	changed = (uintptr_t)dlsym(library, "odd_2222");
	CHECK(changed);
	ops = create(nothing, accept);
	other = create(wait_here, NULL);

	/*
	 * Arming prepares the path to the trampolines, and makes slots point to cells.
	 */
	CHECK_EQ(patchbay_arm(ops, "odd_*", 0), 256);
	CHECK_EQ(patchbay_disarm(ops, "odd_*"), 256);
	CHECK_EQ(patchbay_arm(other, "slow", 0), 1);
	change_site();

	CHECK_EQ(pthread_create(&caller, NULL, call_slow, NULL), 0);
	CHECK_EQ(sem_wait(&inside), 0);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	CHECK_EQ(pthread_create(&armer, NULL, arm_all, NULL), 0);
	/* The library counts the changed function before it waits for handlers. */
	while (!refused())
		sched_yield();
	CHECK_EQ(dlclose(library), 0);
	CHECK(!dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD));
	CHECK_EQ(sem_post(&go_on), 0);
	CHECK_EQ(pthread_join(armer, NULL), 0);
	CHECK_EQ(pthread_join(caller, NULL), 0);
	CHECK_EQ(refused(), 1);
	puts("done");
	return 0;
}
#endif
