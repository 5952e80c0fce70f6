/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two modules with 256 functions each are armed by stores, and one function's site is
 * not what it should be: none is armed then and text is to the byte what it was, whether
 * they are armed for the first time, again, or some of them led elsewhere before. Those
 * that are fine can be armed without it, and all once it is what it was; the second time
 * at once again.
 */
// RUN: %build -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 20 %t %t.so program first
// RUN: timeout -s KILL 20 %t %t.so program again
// RUN: timeout -s KILL 20 %t %t.so program mixed
// RUN: timeout -s KILL 20 %t %t.so library first
// RUN: timeout -s KILL 20 %t %t.so library again
// RUN: timeout -s KILL 20 %t %t.so library mixed
/* As others do in whom each function is asked for: all are looked at before. */
// RUN: timeout -s KILL 20 %t %t.so program again asked
// RUN: timeout -s KILL 20 %t %t.so library mixed asked
/* With another thread it is written, and armed at once the first time only. */
// RUN: timeout -s KILL 20 %t %t.so program first thread
// RUN: timeout -s KILL 20 %t %t.so library first thread
// RUN: timeout -s KILL 20 %t %t.so library again thread
// RUN: timeout -s KILL 20 %t %t.so library mixed thread

#include "Inputs/check.h"
#include "Inputs/repeat.h"

#include <patchbay/abi.h>

#define FUNCTION(n) OPAQUE static int odd##n(int a) { return a + 1; }
X256(FUNCTION, _)

#define ADDRESS(n) odd##n,
static int (*const functions[])(int) = { X256(ADDRESS, _) };
enum { NR = sizeof(functions) / sizeof(functions[0]) };

extern const struct patchbay_record __start_patchbay_sites[], __stop_patchbay_sites[];

/* What the program knows of a module. */
struct part {
	int (*const *functions)(int);
	const struct patchbay_record *records, *end;
};

__attribute__((visibility("default"), no_profile_instrument_function)) struct part
part(void);
struct part part(void)
{
	return (struct part){ functions, __start_patchbay_sites,
			      __stop_patchbay_sites };
}

#ifndef LIBRARY
#include "Inputs/count-calls.h"

#include <patchbay/patchbay.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { BEFORE = 32, BEHIND = 32, AROUND = BEFORE + BEHIND };

static struct part parts[2]; /* the program, the library */
static unsigned char texts[2][NR][AROUND];

static void keep_text(void)
{
	for (int p = 0; p < 2; p++)
		for (int i = 0; i < NR; i++)
			memcpy(texts[p][i], (char *)parts[p].functions[i] - BEFORE,
			       AROUND);
}

static int has_same_text(void)
{
	for (int p = 0; p < 2; p++)
		for (int i = 0; i < NR; i++)
			if (memcmp(texts[p][i],
				   (char *)parts[p].functions[i] - BEFORE, AROUND))
				return 0;
	return 1;
}

static char *site_of(const struct part *part, int (*function)(int))
{
	const struct patchbay_record *r = part->records;

	while (r < part->end && (char *)&r->entry + r->entry != (char *)function)
		r++;
	CHECK(r < part->end);
	return (char *)&r->site + r->site;
}

/* Somebody else writes at a site: the second time it is what it was. */
static void turn(char *site)
{
	const char byte = (char)~*site;
	const int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	CHECK(file >= 0);
	CHECK_EQ(pwrite(file, &byte, 1, (off_t)site), 1);
	close(file);
}

/* Calls that are counted of all functions but @left_out. */
static long calls_seen(int (*left_out)(int))
{
	calls = 0;
	for (int p = 0; p < 2; p++)
		for (int i = 0; i < NR; i++)
			if (parts[p].functions[i] != left_out)
				CHECK_EQ(parts[p].functions[i](i), i + 1);
	return calls;
}

static int arm_and_disarm(struct patchbay_ops *ops, const char *glob)
{
	const int nr = patchbay_arm(ops, glob, 0);

	CHECK_EQ(calls_seen(NULL), nr);
	CHECK_EQ(patchbay_disarm(ops, glob), nr);
	CHECK_EQ(calls_seen(NULL), 0);
	return nr;
}

static struct patchbay_stats now(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	return stats;
}

/* How often other threads were made to look at code again: in steps it is once. */
static uint64_t arm_all(struct patchbay_ops *ops)
{
	const uint64_t before = now().membarriers;

	CHECK_EQ(patchbay_arm(ops, "odd_*", 0), 2 * NR);
	return now().membarriers - before;
}

/* Where slots lead before: nowhere, where all do, or here and there. */
static void prepare(struct patchbay_ops *ops, const char *how)
{
	struct patchbay_ops *other = NULL;
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };

	if (!strcmp(how, "first"))
		return;
	CHECK_EQ(arm_and_disarm(ops, "odd_*"), 2 * NR);
	if (!strcmp(how, "again"))
		return;
	CHECK_EQ(strcmp(how, "mixed"), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &other), 0);
	CHECK_EQ(patchbay_arm(ops, "odd_*", 0), 2 * NR);
	CHECK_EQ(patchbay_disarm(ops, "odd_*[0-1]"), NR);
	CHECK_EQ(patchbay_arm(other, "odd_*0", 0), NR / 2);
	CHECK_EQ(calls_seen(NULL), NR + NR / 2);
	CHECK_EQ(patchbay_ops_destroy(other), 0);
	CHECK_EQ(patchbay_disarm(ops, "odd_*"), NR);
	CHECK_EQ(calls_seen(NULL), 0);
}

static int allow(void *arg, const struct patchbay_target *target)
{
	(void)arg, (void)target;
	return 0;
}

static void *sleep_in_thread(void *arg)
{
	pause();
	return arg;
}

int main(int argc, char **argv)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr), .handler = handler };
	struct patchbay_ops *ops;
	int (*odd)(int);
	struct part *p;
	pthread_t thread;
	uint64_t writes;
	void *library;
	char *site;

	CHECK(argc > 3);
	if (argc > 4 && !strcmp(argv[4], "asked"))
		attr.check = allow;
	else if (argc > 4)
		CHECK_EQ(pthread_create(&thread, NULL, sleep_in_thread, NULL), 0);
	library = dlopen(argv[1], RTLD_NOW);
	CHECK(library);
	parts[0] = part();
	parts[1] = ((struct part(*)(void))dlsym(library, "part"))();
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_STORES), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	prepare(ops, argv[3]);

	p = &parts[!strcmp(argv[2], "library")];
	odd = p->functions[NR - 1];
	site = site_of(p, odd);
	turn(site);
	keep_text();
	writes = now().text_writes;
	CHECK_EQ(patchbay_arm(ops, "odd_*", 0), -EILSEQ);
	CHECK(has_same_text());
	CHECK_EQ(calls_seen(odd), 0);
	CHECK_EQ(patchbay_arm(ops, "odd_*", PATCHBAY_ARM_SKIP), 2 * NR - 1);
	CHECK(!has_same_text());
	CHECK_EQ(calls_seen(odd), 2 * NR - 1);
	CHECK_EQ(patchbay_disarm(ops, "odd_*"), 2 * NR - 1);
	turn(site);
	CHECK_EQ(calls_seen(NULL), 0);
	CHECK_EQ(arm_and_disarm(ops, "odd_*"), 2 * NR);
#if defined(__x86_64__)
	/* Stubs of two modules are led to trampolines the first time. */
	CHECK(now().text_writes - writes <= 4 || (argc > 4 && !attr.check));
	CHECK_EQ(arm_all(ops), argc > 4);
	CHECK_EQ(patchbay_disarm(ops, "odd_*"), 2 * NR);
#endif
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return 0;
}
#endif
