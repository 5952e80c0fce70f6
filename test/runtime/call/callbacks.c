/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Callbacks of the library call the loader, and create threads that load modules. At
 * the same time, another thread loads and unloads modules in a loop. Callbacks run with
 * the signal mask of the library's caller.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: cp %t.so %t-two.so
// RUN: %build -rdynamic %s -o %t -lpatchbay-link %link -lpthread
// RUN: timeout -s KILL 600 %t %t.so %t-two.so | FileCheck %s
// CHECK: {{^}}visit name check attach match log future iterate: right{{$}}
#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plugin_one(int a) { return a + 1; }
OPAQUE int plugin_two(int a) { return a + 2; }
#else

#include <patchbay/link.h>

#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

enum { ROUNDS = 20 };

OPAQUE int work(int a) { return a * 3; }

static const char *first, *second;
static sigset_t mask;
static volatile sig_atomic_t terminated;
static int asked, stop;
static uint64_t loaded;

UNTRACED static void handler(uintptr_t ip, uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
}

UNTRACED static void on_term(int signal)
{
	(void)signal;
	terminated++;
}

UNTRACED static void check_mask(void)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	for (int i = 1; i < NSIG; i++)
		CHECK_EQ(sigismember(&now, i), sigismember(&mask, i));
}

UNTRACED static void *load_one(void *arg)
{
	void *library = dlopen(second, RTLD_NOW);

	CHECK(library);
	check_mask();
	CHECK_EQ(dlclose(library), 0);
	return arg;
}

/* Wait until another thread is inside dlopen() or dlclose(). */
UNTRACED static void ask(void)
{
	const uint64_t before = __atomic_load_n(&loaded, __ATOMIC_RELAXED);
	const sig_atomic_t signals = terminated;
	pthread_t thread;
	Dl_info info;
	void *self;

	while (!stop && __atomic_load_n(&loaded, __ATOMIC_RELAXED) == before)
		sched_yield();
	check_mask();
	CHECK(dladdr((void *)work, &info));
	self = dlopen(NULL, RTLD_NOW);
	CHECK(self);
	CHECK(dlsym(self, "work") == (void *)work);
	CHECK_EQ(dlclose(self), 0);
	free(malloc(1000));
	CHECK_EQ(pthread_create(&thread, NULL, load_one, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(pthread_kill(pthread_self(), SIGTERM), 0);
	CHECK_EQ(terminated, signals + 1);
	asked++;
}

UNTRACED static int is_work(uintptr_t entry)
{
	return entry == (uintptr_t)work;
}

/* Records and names stay valid during the visit, even if modules are unloaded. */
static int visit(const struct patchbay_site_info *site, void *arg)
{
	(void)arg;
	CHECK(site->record->gp_args <= 6 && *site->module->path);
	if (is_work(site->entry))
		ask();
	CHECK(site->record->gp_args <= 6 && *site->module->path);
	return 0;
}

static int visit_name(uintptr_t entry, const char *name, void *arg)
{
	(void)arg;
	if (is_work(entry))
		ask();
	CHECK(strlen(name));
	return 0;
}

static int check(void *arg, const struct patchbay_target *target)
{
	(void)arg;
	ask();
	CHECK_EQ(target->record->gp_args, 1);
	return 0;
}

static int attach(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	(void)data;
	ask();
	CHECK(*module->path);
	for (size_t i = 0; i < nr; i++)
		CHECK_EQ(targets[i].record->gp_args, 1);
	return 0;
}

/*
 * Runs in a constructor, whose thread holds the loader's lock, so other threads cannot
 * load modules.
 */
static int attach_new(void *data, const struct patchbay_module_info *module,
		      struct patchbay_target *targets, size_t nr)
{
	Dl_info info;

	(void)data;
	CHECK(nr == 1 && *module->path);
	check_mask();
	/* The other thread may have unloaded the module. */
	dladdr((void *)targets[0].entry, &info);
	CHECK(dlsym(RTLD_DEFAULT, "work") == (void *)work);
	free(malloc(1000));
	__atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
	return 0;
}

static int match(const char *glob, const char *name, void *arg)
{
	(void)arg;
	if (name && !strcmp(name, "work"))
		ask();
	return name && !fnmatch(glob, name, 0);
}

static void on_log(void *arg, const char *name, uintptr_t entry, int error,
		   const char *reason)
{
	(void)arg, (void)name, (void)entry, (void)error, (void)reason;
	ask();
}

UNTRACED static void *load(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		void *library = dlopen(first, RTLD_NOW);

		CHECK(library);
		__atomic_fetch_add(&loaded, 1, __ATOMIC_RELAXED);
		CHECK_EQ(dlclose(library), 0);
	}
	return arg;
}

static struct patchbay_ops *create(const struct patchbay_ops_attr *like)
{
	struct patchbay_ops_attr attr = *like;
	struct patchbay_ops *ops;

	attr.size = sizeof(attr);
	attr.handler = handler;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static void arm(const struct patchbay_ops_attr *attr, const char *glob,
		int (*matches)(const char *, const char *, void *), unsigned int flags)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = glob,
						.match = matches };
	struct patchbay_ops *ops = create(attr);

	CHECK(patchbay_arm_filter(ops, &filter, flags) >= 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static void test_visit(void)
{
	CHECK_EQ(patchbay_for_each_site(visit, NULL), 0);
}

static void test_name(void)
{
	CHECK_EQ(patchbay_for_each_name(visit_name, NULL), 0);
}

/*
 * @check callbacks also run for functions of a module that is being loaded and unloaded.
 */
static void test_check(void)
{
	arm(&(struct patchbay_ops_attr){ .check = check }, "plugin_*",
	    NULL, PATCHBAY_ARM_SKIP);
	arm(&(struct patchbay_ops_attr){ .check = check }, "work", NULL, 0);
}

static void test_attach(void)
{
	arm(&(struct patchbay_ops_attr){ .attach = attach }, "plugin_*",
	    NULL, PATCHBAY_ARM_SKIP);
	arm(&(struct patchbay_ops_attr){ .attach = attach }, "work", NULL, 0);
}

static void test_match(void)
{
	arm(&(struct patchbay_ops_attr){ .size = 0 }, "wor[k]", match, 0);
}

static void test_log(void)
{
	const struct patchbay_filter filter = { .size = sizeof(filter), .glob = "none" };
	const struct patchbay_program program = { .size = sizeof(program),
						  .entry = handler };
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = &filter,
						 .log = on_log };
	struct patchbay_link *link;

	CHECK(patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, &link) < 0);
}

/* Either this thread or the thread that loads the module arms the module. */
static void test_future(void)
{
	struct patchbay_ops *ops =
		create(&(struct patchbay_ops_attr){ .attach = attach_new });
	struct patchbay_ops_info info = { .size = sizeof(info) };
	const int before = asked;

	CHECK(patchbay_arm(ops, "*_one", PATCHBAY_ARM_FUTURE) >= 0);
	while (__atomic_load_n(&asked, __ATOMIC_RELAXED) < before + 3)
		sched_yield();
	CHECK_EQ(patchbay_ops_get_info(ops, &info), 0);
	CHECK_EQ(info.future_error, 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

UNTRACED static int arm_within(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info, (void)size;
	arm(arg, "work", NULL, 0);
	return 1;
}

static void test_iterate(void)
{
	const uint64_t before = __atomic_load_n(&loaded, __ATOMIC_RELAXED);
	struct patchbay_ops_attr attr = { .size = 0 };

	dl_iterate_phdr(arm_within, &attr);
	asked++;
	while (__atomic_load_n(&loaded, __ATOMIC_RELAXED) == before)
		sched_yield();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*test)(void);
	} tests[] = {
		{ "visit", test_visit }, { "name", test_name },
		{ "check", test_check }, { "attach", test_attach },
		{ "match", test_match }, { "log", test_log },
		{ "future", test_future }, { "iterate", test_iterate },
	};
	pthread_t loader;

	CHECK_EQ(argc, 3);
	first = argv[1];
	second = argv[2];
	signal(SIGTERM, on_term);
	/*
	 * Callbacks run with the caller's signal mask: all signals unblocked, then some
	 * blocked.
	 */
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	CHECK_EQ(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
	CHECK_EQ(pthread_create(&loader, NULL, load, NULL), 0);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		for (int round = 0; round < ROUNDS; round++) {
			const int before = asked;

			tests[i].test();
			CHECK(asked > before);
		}
		printf(i ? " %s" : "%s", tests[i].name);
		fflush(stdout);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	CHECK_EQ(pthread_join(loader, NULL), 0);
	CHECK_EQ(work(1), 3);
	puts(": right");
	return 0;
}
#endif
