/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread that holds the engine lock (core/system/lock.h), which fork() takes, never
 * allocates, frees, opens or closes. The test replaces the C library's functions for
 * these actions by functions that check whether their thread holds the lock. The test
 * uses all types of tracers.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build -rdynamic %s -o %t --ld-path=%ld.lld -Wl,--static-calls,--wrap=pb_malloc,--wrap=pb_calloc,--wrap=pb_realloc,--wrap=pb_free -I %patchbay_source/runtime/core %patchbay_lib/libpatchbay.a -lpthread
// RUN: %t %t.so | FileCheck %s
// CHECK: {{^}}under the lock: 0 of {{[1-9][0-9]+}} calls{{$}}

#include "../Inputs/check.h"

#ifdef LIBRARY
OPAQUE int plugin_one(int a) { return a + 1; }
OPAQUE int plugin_two(int a) { return a + 2; }
#else

#include "../Inputs/count-calls.h"

#include <patchbay/exit.h>
#include <patchbay/static_call.h>

#include <dlfcn.h>
#include <link.h>
#include <system/lock.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

OPAQUE int one(int a) { return a; }
OPAQUE int two(int a) { return a; }
OPAQUE int three(int a) { return a; }

/* Called before there are threads. */
static long total, wrong;
static const char *first;

static void look(const char *what)
{
	total++;
	if (!pb_engine_is_locked())
		return;
	if (!wrong++)
		first = what;
}

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#include "../Inputs/wrap-memory.h"

NOT_TRACED static int fails_now(void)
{
	look("pb_malloc");
	return 0;
}

NOT_TRACED static void changed(int by)
{
	(void)by;
	look("pb_free");
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

NOT_TRACED void *malloc(size_t size)
{
	look("malloc");
	return __libc_malloc(size);
}

NOT_TRACED void *calloc(size_t nr, size_t size)
{
	look("calloc");
	return __libc_calloc(nr, size);
}

NOT_TRACED void *realloc(void *old, size_t size)
{
	look("realloc");
	return __libc_realloc(old, size);
}

NOT_TRACED void *aligned_alloc(size_t alignment, size_t size)
{
	look("aligned_alloc");
	return __libc_memalign(alignment, size);
}

NOT_TRACED void free(void *block)
{
	look("free");
	__libc_free(block);
}

NOT_TRACED int open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	look("open");
	return (int)syscall(SYS_openat, -100, path, flags, mode);
}

NOT_TRACED int close(int file)
{
	look("close");
	return (int)syscall(SYS_close, file);
}

#define next_of(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

__attribute__((no_sanitize("kcfi"))) NOT_TRACED FILE *fopen(const char *path,
							    const char *mode)
{
	look("fopen");
	return next_of(fopen)(path, mode);
}

__attribute__((no_sanitize("kcfi"))) NOT_TRACED void *
mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	look("mmap");
	return (void *)syscall(SYS_mmap, at, size, protection, flags, file,
			       offset);
}

__attribute__((no_sanitize("kcfi"))) NOT_TRACED void
qsort(void *base, size_t nr, size_t size, int (*compare)(const void *, const void *))
{
	look("qsort");
	next_of(qsort)(base, nr, size, compare);
}

static int add_one(int a) { return a + 1; }
static int add_two(int a) { return a + 2; }
DEFINE_STATIC_CALL(add, add_one);

static struct patchbay_ops *create(patchbay_handler at_exit)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler,
						.exit = at_exit };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static void sets(void)
{
	const char *const list[] = { "three", "one", "two" };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.syms = list,
						.cnt = 3 };
	struct patchbay_ops *ops[3] = { create(NULL), create(handler),
					create(NULL) };
	struct patchbay_batch *batch;

	for (int i = 0; i < 3; i++)
		CHECK_EQ(patchbay_arm_filter(ops[i], &filter, 0), 3);
	CHECK_EQ(patchbay_disarm(ops[0], "t*"), 2);
	CHECK_EQ(patchbay_ops_disable(ops[1]), 0);
	CHECK_EQ(patchbay_ops_enable(ops[1]), 0);
	CHECK_EQ(patchbay_batch_create(&batch), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, ops[0], &filter), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, ops[1], &filter), 0);
	CHECK_EQ(patchbay_batch_arm(batch, ops[0], &filter, 0), 0);
	CHECK_EQ(patchbay_batch_commit(batch), 1 + 3 + 3);
	CHECK_EQ(patchbay_synchronize(), 0);
	patchbay_batch_destroy(batch);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(patchbay_ops_destroy(ops[i]), 0);
}

/* A module is armed when it is loaded, and unloaded while armed. */
static void modules(const char *path)
{
	struct patchbay_ops *ops = create(NULL);

	CHECK(patchbay_arm(ops, "*", PATCHBAY_ARM_FUTURE | PATCHBAY_ARM_SKIP) >
	      3);
	for (int i = 0; i < 3; i++) {
		void *library = dlopen(path, RTLD_NOW);

		calls = 0;
		CHECK(library);
		CHECK_EQ(((int (*)(int))dlsym(library, "plugin_two"))(1), 3);
		CHECK_EQ(calls, 1);
		CHECK_EQ(dlclose(library), 0);
	}
	CHECK(patchbay_disarm(ops, "*") > 3);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static int no_more(const struct patchbay_site_info *site, void *arg)
{
	(void)site;
	free(malloc(1)); /* allowed without the lock */
	return arg != NULL;
}

static void status(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK_EQ(patchbay_for_each_site(no_more, NULL), 0);
}

static void static_calls(void)
{
	CHECK_EQ(static_call_update(add, add_two), 0);
	CHECK_EQ(static_call(add)(1), 3);
	CHECK_EQ(static_call_update(add, add_one), 0);
}

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	sets();
	modules(argv[1]);
	status();
	static_calls();
	sets();
	if (wrong)
		printf("%s, first of all\n", first);
	printf("under the lock: %ld of %ld calls\n", wrong, total);
	return wrong != 0;
}
#endif
