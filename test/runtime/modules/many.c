/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory use with 200 shared objects is the same at the end as at the beginning. All
 * objects are armed at once, some are closed while armed, and more functions of the
 * others are armed. On ppc64le, where branches have a short reach and pages are large,
 * fewer objects fit.
 *
 *	many LIBRARY [NUMBER]
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t/lib.so
// RUN: %build %s -o %t/exe %link
// RUN: timeout -s KILL 600 %t/exe %t/lib.so | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"

#ifdef LIBRARY
OPAQUE int melon(int a) { return a + 1; }
#else

#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

enum { MAX = 200 };

static int nr = MAX;
static void *library[MAX];
static int (*melon[MAX])(int);
/* Loads a copy in a separate file; the loader would load the same file only once. */
static void load(const char *from, int i)
{
	static char bytes[1 << 20];
	char to[PATH_MAX];
	int in = open(from, O_RDONLY), out;
	ssize_t size = read(in, bytes, sizeof(bytes));

	CHECK(size > 0 && size < (ssize_t)sizeof(bytes));
	snprintf(to, sizeof(to), "%s.%d", from, i);
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	CHECK_EQ(write(out, bytes, (size_t)size), size);
	close(in);
	close(out);
	library[i] = dlopen(to, RTLD_NOW);
	CHECK(library[i]);
	melon[i] = (int (*)(int))dlsym(library[i], "melon");
	unlink(to);
}

static int calls_seen(void)
{
	calls = 0;
	for (int i = 0; i < nr; i++)
		if (library[i])
			CHECK_EQ(melon[i](i), i + 1);
	return calls;
}

static void close_every(int step)
{
	for (int i = 0; i < nr; i += step) {
		if (library[i])
			CHECK_EQ(dlclose(library[i]), 0);
		library[i] = NULL;
	}
}

/* Arms and disarms the functions of all modules in one batch. */
static void there_and_back(struct patchbay_ops *ops)
{
	const struct patchbay_filter all = { .size = sizeof(all), .glob = "*" };
	struct patchbay_batch *batch;

	CHECK_EQ(patchbay_batch_create(&batch), 0);
	CHECK_EQ(patchbay_batch_arm(batch, ops, &all, 0), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, ops, &all), 0);
	CHECK(patchbay_batch_commit(batch) >= 2 * nr);
	patchbay_batch_destroy(batch);
	CHECK_EQ(calls_seen(), 0);
}

static void cycle(const char *path)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	/* load() deletes the files. Names that were read before stay available. */
	CHECK_EQ(patchbay_arm(ops, "melon", PATCHBAY_ARM_FUTURE), 0);
	for (int i = 0; i < nr / 2; i++)
		load(path, i);
	CHECK_EQ(calls_seen(), nr / 2);
	CHECK_EQ(patchbay_disarm(ops, "melon"), nr / 2);
	CHECK_EQ(patchbay_disarm(ops, "*"), -ENOENT);
	for (int i = nr / 2; i < nr; i++)
		load(path, i);
	CHECK_EQ(calls_seen(), 0);
	there_and_back(ops);
	CHECK(patchbay_arm(ops, "*", 0) >= nr);
	CHECK_EQ(calls_seen(), nr);
	close_every(3);
	CHECK_EQ(calls_seen(), nr - (nr + 2) / 3);
	CHECK(patchbay_disarm(ops, "*") >= nr - (nr + 2) / 3);
	CHECK_EQ(calls_seen(), 0);
	close_every(1);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

int main(int argc, char **argv)
{
	size_t before = 0;

	CHECK(argc > 1);
	if (argc > 2)
		nr = atoi(argv[2]);
	CHECK(nr <= MAX);
	for (int i = 0; i < 4; i++) {
		cycle(argv[1]);
		if (i == 1)
			before = mallinfo2().uordblks;
	}
	CHECK(mallinfo2().uordblks < before + 65536);
	puts("done");
	return 0;
}
#endif
