/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The cost of a link does not grow with the number of links: there are thousands, each
 * on its own function. The symbol table is read once for all.
 */
// RUN: %build -DMANY=10000 -O1 %s -o %t %link -lpatchbay-link \
// RUN:   -Wl,--export-dynamic-symbol=open
// RUN: timeout -s KILL 600 %t 2>&1 | FileCheck %s
// CHECK: 1000 links: by name [[#]] us each, 1 reads of the symbols
// CHECK: 10000 links: by name [[#]] us each, 1 reads of the symbols
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/many-functions.h"

#include <patchbay/link.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

D10000(0)

static int reads;

/* Counts the library's reads of files. libc has no type hash for open(). */
__attribute__((no_sanitize("kcfi")))
int open(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	va_list more;
	int mode;

	if (!real)
		real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	va_start(more, flags);
	mode = flags & O_CREAT ? va_arg(more, int) : 0;
	va_end(more);
	reads += !strcmp(path, "/proc/self/exe");
	return real(path, flags, mode);
}

static struct patchbay_link *links[MANY];
static int calls;

static void on_call(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
}

/* Returns this thread's CPU time, which excludes other threads. */
static double microseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int attach(struct patchbay_filter filter, struct patchbay_link **link)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .entry = on_call };
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = &filter };

	filter.size = sizeof(filter);
	return patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, link);
}

static void attach_by_name(int i)
{
	char name[16];
	const char *const names[] = { name };

	snprintf(name, sizeof(name), "many_0%04d", i);
	/* Attaches by wildcard or by list. Neither reads symbols again. */
	CHECK_EQ(attach(i % 2 ? (struct patchbay_filter){ .glob = name } :
				(struct patchbay_filter){ .syms = names,
							  .cnt = 1 },
			&links[i]),
		 1);
}

struct cost {
	double attach, destroy;
};

/* Attaches and destroys @nr links, oldest first, the worst case for a linear list. */
static struct cost come_and_go(int nr)
{
	double start = microseconds(), attached, end;
	int before = calls;

	for (int i = 0; i < nr; i++)
		attach_by_name(i);
	attached = microseconds();
	many_00000();
	many_00009();
	many_00100();
	CHECK_EQ(calls, before + 3);
	for (int i = 0; i < nr; i++)
		CHECK_EQ(patchbay_link_destroy(links[i]), 0);
	end = microseconds();
	many_00009();
	CHECK_EQ(calls, before + 3);
	fprintf(stderr,
		"%d links: by name %.0f us each, %d reads of the symbols, "
		"destroyed in %.0f us each\n",
		nr, (attached - start) / nr, reads, (end - attached) / nr);
	return (struct cost){ (attached - start) / nr, (end - attached) / nr };
}

int main(void)
{
	struct cost few = come_and_go(MANY / 10), many = come_and_go(MANY);

	/* If each link scanned all functions or all links, the ratio would be 20. */
	CHECK(many.attach < 5 * few.attach);
	CHECK(many.destroy < 5 * few.destroy);
	puts("done");
	return 0;
}
