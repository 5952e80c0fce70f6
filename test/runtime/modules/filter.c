/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every way to select functions works, with and without cookies. Every invalid way is
 * refused.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// RUN: %build -DMANY=10000 -O1 %s -o %t.many %link
// RUN: %t.many | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"
#include "../Inputs/many-functions.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <string.h>
#include <time.h>

OPAQUE int oak(int a) { return a; }
OPAQUE int oak_tree(int a) { return a; }
OPAQUE int ash_tree(int a) { return a; }
OPAQUE int yew(int a) { return a; }
extern int yew_tree(int) __attribute__((alias("yew")));

enum { OAK = 1, OAK_TREE = 2, ASH_TREE = 4, YEW = 8 };

static struct patchbay_ops *ops;
static int called, cookies_seen;

static void note(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)parent_ip;
	(void)regs;
	called |= ip == (uintptr_t)oak ? OAK :
		  ip == (uintptr_t)oak_tree ? OAK_TREE :
		  ip == (uintptr_t)ash_tree ? ASH_TREE :
		  ip == (uintptr_t)yew ? YEW : 1 << 30;
	cookies_seen += *(int *)cell->data;
}

static int calls(void)
{
	called = cookies_seen = 0;
	oak(1);
	oak_tree(1);
	ash_tree(1);
	yew(1);
	return called;
}

static int ten = 10, one = 1, two = 2, four = 4;

static struct patchbay_ops *create(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = note,
					  .data = &ten };
	struct patchbay_ops *made;

	CHECK_EQ(patchbay_ops_create(&attr, &made), 0);
	return made;
}

#define FILTER(...)                                                            \
	(&(const struct patchbay_filter){                                      \
		.size = sizeof(struct patchbay_filter), __VA_ARGS__ })
#define LIST(type, ...) (const type[]){ __VA_ARGS__ }
#define SYMS(...)                                                              \
	.syms = LIST(char *const, __VA_ARGS__),                                \
	.cnt = sizeof(LIST(char *const, __VA_ARGS__)) / sizeof(char *)
#define ADDRS(...)                                                             \
	.addrs = LIST(uintptr_t, __VA_ARGS__),                                 \
	.cnt = sizeof(LIST(uintptr_t, __VA_ARGS__)) / sizeof(uintptr_t)
#define COOKIES(...) .cookies = (void *const[]){ __VA_ARGS__ }

/* Checks that @filter selects @functions, for arming and for disarming. */
static void selects(const struct patchbay_filter *filter, int functions)
{
	int nr = __builtin_popcount((unsigned int)functions);

	CHECK_EQ(patchbay_arm_filter(ops, filter, 0), nr);
	CHECK_EQ(calls(), functions);
	CHECK_EQ(patchbay_disarm(ops, "*"), nr);
	CHECK_EQ(patchbay_arm_filter(ops, FILTER(.glob = "[oay]*[kew]"), 0) +
			 patchbay_arm(ops, "ash_tree", 0) +
			 patchbay_arm(ops, "oak_tree", 0), 4);
	CHECK_EQ(patchbay_disarm_filter(ops, filter), nr);
	CHECK_EQ(calls(), 15 & ~functions);
	CHECK_EQ(patchbay_disarm_filter(ops, filter), -ENOENT);
	if (functions != 15)
		CHECK_EQ(patchbay_disarm(ops, "*"), 4 - nr);
}

static void refused(const struct patchbay_filter *filter, unsigned int flags,
		    int error)
{
	CHECK_EQ(patchbay_arm_filter(ops, filter, flags), error);
	CHECK_EQ(calls(), 0);
}

static void patterns(void)
{
	selects(FILTER(.glob = "oak"), OAK);
	selects(FILTER(.glob = "oa[k]"), OAK);
	selects(FILTER(.glob = "oak*"), OAK | OAK_TREE);
	selects(FILTER(.glob = "oak?*"), OAK_TREE);
	selects(FILTER(.glob = "*_tree"), OAK_TREE | ASH_TREE | YEW);
	selects(FILTER(.glob = "oa\\k"), OAK);
	selects(FILTER(.regex = "^(oak|yew)$"), OAK | YEW);
	selects(FILTER(.regex = "_tre{2}"), OAK_TREE | ASH_TREE | YEW);
	refused(FILTER(.glob = "oak_"), 0, -ENOENT);
	refused(FILTER(.glob = ""), 0, -ENOENT);
	refused(FILTER(.regex = "^tree"), 0, -ENOENT);
	refused(FILTER(.glob = "pine*"), PATCHBAY_ARM_SKIP, 0);
}

static void lists(void)
{
	const uintptr_t oak_at = (uintptr_t)oak, yew_at = (uintptr_t)yew;

	selects(FILTER(SYMS("ash_tree")), ASH_TREE);
	selects(FILTER(SYMS("yew", "oak", "oak", "yew_tree")), OAK | YEW);
	selects(FILTER(ADDRS(yew_at, oak_at, yew_at)), OAK | YEW);
	refused(FILTER(SYMS("oak", "pine")), 0, -ENOENT);
	refused(FILTER(SYMS("oa")), 0, -ENOENT);
	refused(FILTER(SYMS("oak*")), 0, -ENOENT);
	refused(FILTER(ADDRS(oak_at, oak_at + 1)), 0, -ENOENT);
	refused(FILTER(ADDRS(0)), 0, -ENOENT);

	CHECK_EQ(patchbay_arm_filter(ops, FILTER(SYMS("oak", "pine", "yew")),
				     PATCHBAY_ARM_SKIP), 2);
	CHECK_EQ(calls(), OAK | YEW);
	CHECK_EQ(patchbay_arm_filter(ops, FILTER(ADDRS(oak_at, 1)),
				     PATCHBAY_ARM_SKIP), 0);
	CHECK_EQ(patchbay_disarm_filter(ops, FILTER(SYMS("pine", "oak"))), 1);
	CHECK_EQ(patchbay_disarm_filter(ops, FILTER(ADDRS(1, yew_at))), 1);
}

static void notrace(void)
{
	const uintptr_t oak_tree_at = (uintptr_t)oak_tree;

	selects(FILTER(.glob = "*_tree", .notrace = FILTER(SYMS("ash_tree"))),
		OAK_TREE | YEW);
	/* A function matches by any of its names. */
	selects(FILTER(.regex = "_tree", .notrace = FILTER(.glob = "yew")),
		OAK_TREE | ASH_TREE);
	selects(FILTER(SYMS("oak", "oak_tree"),
		       .notrace = FILTER(ADDRS(oak_tree_at))), OAK);
	selects(FILTER(SYMS("oak"), .notrace = FILTER(SYMS("pine"))), OAK);
	refused(FILTER(SYMS("oak"), .notrace = FILTER(.glob = "*")), 0,
		-ENOENT);
}

static void cookies(void)
{
	const uintptr_t oak_at = (uintptr_t)oak;

	CHECK_EQ(patchbay_arm_filter(ops, FILTER(SYMS("yew", "oak", "oak"),
						 COOKIES(&one, &two, &four)),
				     0), 2);
	CHECK_EQ(patchbay_arm(ops, "ash_tree", 0), 1);
	CHECK_EQ(calls(), OAK | ASH_TREE | YEW);
	CHECK_EQ(cookies_seen, 1 + 2 + 10);
	/* Armed functions stay armed. */
	CHECK_EQ(patchbay_arm_filter(ops, FILTER(ADDRS(oak_at), COOKIES(&four)),
				     0), 0);
	calls();
	CHECK_EQ(cookies_seen, 1 + 2 + 10);
	CHECK_EQ(patchbay_disarm(ops, "*"), 3);
	CHECK_EQ(patchbay_arm_filter(ops,
				     FILTER(ADDRS((uintptr_t)yew, oak_at),
					    COOKIES(&one, &four)), 0), 2);
	calls();
	CHECK_EQ(cookies_seen, 1 + 4);
	CHECK_EQ(patchbay_disarm(ops, "*"), 2);

	/* If two list items select the same function, the first one sets the cookie. */
	CHECK_EQ(patchbay_arm_filter(ops, FILTER(SYMS("yew", "yew_tree"),
						 COOKIES(&one, &two)), 0), 1);
	calls();
	CHECK_EQ(cookies_seen, 1);
	CHECK_EQ(patchbay_disarm(ops, "*"), 1);
	CHECK_EQ(patchbay_arm_filter(ops, FILTER(SYMS("yew_tree", "yew"),
						 COOKIES(&one, &two)), 0), 1);
	calls();
	CHECK_EQ(cookies_seen, 1);
	CHECK_EQ(patchbay_disarm(ops, "*"), 1);
	CHECK_EQ(patchbay_arm_filter(ops, FILTER(ADDRS(oak_at, oak_at),
						 COOKIES(&two, &one)), 0), 1);
	calls();
	CHECK_EQ(cookies_seen, 2);
	CHECK_EQ(patchbay_disarm(ops, "*"), 1);
}

/* A callback that replaces fnmatch(3), and the number of times it was called. */
static int asked;
static int is_asked(const char *glob, const char *name, void *arg)
{
	CHECK(!strcmp(glob, "of wood*"));
	CHECK(arg == &ten);
	if (!name)
		return 1;
	asked |= !strcmp(name, "yew") | !strcmp(name, "yew_tree") << 1 |
		 !strcmp(name, "_start") << 2;
	return !strncmp(name, "oak", 3);
}
static int no_memory(const char *glob, const char *name, void *arg)
{
	(void)glob;
	(void)name;
	(void)arg;
	return -ENOMEM;
}

static void matching(void)
{
	const struct patchbay_filter oaks = {
		.size = sizeof(oaks), .glob = "of wood*", .match = is_asked,
		.arg = &ten,
	};

	selects(&oaks, OAK | OAK_TREE);
	selects(FILTER(.glob = "*_tree", .notrace = &oaks), ASH_TREE | YEW);
	refused(FILTER(.glob = "oak", .match = no_memory), 0, -ENOMEM);
	refused(FILTER(SYMS("oak"), .match = is_asked), 0, -EINVAL);
	/* The callback gets all names of each function with a site. */
	asked = 0;
	CHECK_EQ(patchbay_arm_filter(ops, &oaks, PATCHBAY_ARM_FUTURE), 2);
	CHECK_EQ(asked, 3);
	/*
	 * Only an equal filter cancels a request for future modules: this one has no
	 * callback.
	 */
	CHECK_EQ(patchbay_disarm(ops, "of wood*"), -ENOENT);
	CHECK_EQ(patchbay_disarm(ops, "*"), 2);
}

static void wrong(void)
{
	const uintptr_t oak_at = (uintptr_t)oak;
	struct {
		struct patchbay_filter filter;
		long more;
	} later = { .filter = { .size = sizeof(later), .glob = "oak" } };
	struct patchbay_filter shorter = later.filter;

	refused(FILTER(0), 0, -EINVAL);
	refused(FILTER(.glob = "oak", .regex = "oak"), 0, -EINVAL);
	refused(FILTER(SYMS("oak"), .addrs = &oak_at), 0, -EINVAL);
	refused(FILTER(SYMS("oak"), .glob = "oak"), 0, -EINVAL);
	refused(FILTER(.glob = "oak", .cnt = 1), 0, -EINVAL);
	refused(FILTER(.glob = "oak", COOKIES(&one)), 0, -EINVAL);
	refused(FILTER(SYMS("oak", NULL)), 0, -EINVAL);
	refused(FILTER(.addrs = &oak_at), 0, -EINVAL);
	refused(FILTER(.addrs = &oak_at, .cnt = (size_t)INT_MAX + 1), 0,
		-E2BIG);
	refused(FILTER(.regex = "oak("), 0, -EINVAL);
	refused(FILTER(.regex = "oak", .notrace = FILTER(.regex = "[")), 0,
		-EINVAL);
	refused(FILTER(.regex = "oak", .notrace = FILTER(0)), 0, -EINVAL);
	refused(FILTER(.glob = "oak",
		       .notrace = FILTER(SYMS("yew"), COOKIES(&one))), 0,
		-EINVAL);
	refused(FILTER(.glob = "oak",
		       .notrace = FILTER(.glob = "ash*",
					 .notrace = FILTER(.glob = "yew"))), 0,
		-EINVAL);
	refused(FILTER(ADDRS(oak_at)), PATCHBAY_ARM_FUTURE, -EINVAL);
	refused(FILTER(.glob = "oak", .notrace = FILTER(ADDRS(oak_at))),
		PATCHBAY_ARM_FUTURE, -EINVAL);
	refused(FILTER(.glob = "oak"), 4, -EINVAL);
	CHECK_EQ(patchbay_disarm_filter(ops, FILTER(.regex = "oak(")), -EINVAL);

	shorter.size = PATCHBAY_FILTER_SIZE_VER0 - 1;
	refused(&shorter, 0, -EINVAL);
	selects(&later.filter, OAK);
	later.more = 1;
	refused(&later.filter, 0, -E2BIG);
}

/* Another writer changed one function. Arming fails, or skips that function. */
static void foreign(void)
{
	unsigned char *site = (unsigned char *)oak_tree;
	unsigned char was = *site, trap = 0xcc;
	FILE *memory = fopen("/proc/self/mem", "r+b");

	CHECK(memory);
	setbuf(memory, NULL);
	fseek(memory, (long)site, SEEK_SET);
	CHECK_EQ(fwrite(&trap, 1, 1, memory), 1);
	CHECK_EQ(patchbay_arm_filter(ops, FILTER(.glob = "oak*"), 0), -EILSEQ);
	CHECK_EQ(patchbay_arm_filter(ops, FILTER(.glob = "oak*"),
				     PATCHBAY_ARM_SKIP), 1);
	fseek(memory, (long)site, SEEK_SET);
	CHECK_EQ(fwrite(&was, 1, 1, memory), 1);
	fclose(memory);
	CHECK_EQ(calls(), OAK);
	CHECK_EQ(patchbay_disarm(ops, "*"), 1);
}

#ifdef MANY
/* MANY functions with one name each, and a list of their addresses. */
D10000(0)

static uintptr_t addrs[MANY];
static const char *syms[MANY];
static size_t nr_addrs;

static int list(const struct patchbay_site_info *site, void *arg)
{
	(void)arg;
	if (site->nr_cells)
		addrs[nr_addrs++] = site->entry;
	return 0;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_list(const struct patchbay_filter *filter)
{
	double before = seconds();

	CHECK_EQ(patchbay_arm_filter(ops, filter, 0), MANY);
	before = seconds() - before;
	CHECK_EQ(patchbay_disarm_filter(ops, filter), MANY);
	return before;
}

/*
 * A list costs at most four times as much as an equivalent pattern, plus two
 * microseconds per entry. Searching all names for each entry would cost more than that.
 */
static void many(void)
{
	double all, by_name, by_addr;

	for (int i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "many_0%04d", MANY - 1 - i);
		syms[i] = strdup(name);
	}
	time_list(FILTER(.glob = "many_*"));
	all = time_list(FILTER(.glob = "many_*"));
	CHECK_EQ(patchbay_arm(ops, "many_*", 0), MANY);
	CHECK_EQ(patchbay_for_each_site(list, NULL), 0);
	CHECK_EQ(nr_addrs, MANY);
	CHECK_EQ(patchbay_disarm(ops, "many_*"), MANY);
	by_name = time_list(FILTER(.syms = syms, .cnt = MANY));
	by_addr = time_list(FILTER(.addrs = addrs, .cnt = MANY));
	fprintf(stderr, "%d functions: glob %.1f ms, names %.1f ms, addresses "
		"%.1f ms\n", MANY, 1e3 * all, 1e3 * by_name, 1e3 * by_addr);
	all = 4 * all + 2e-6 * MANY;
	CHECK(by_name < all && by_addr < all);
}
#else
static void many(void) {}
#endif

/*
 * A lookup frees the symbol table. This test runs first, because later ones change the
 * heap.
 */
static void look_up(void)
{
	size_t before = 0;

	for (int i = 0; i < 4; i++) {
		struct mallinfo2 info;

		CHECK_EQ(patchbay_arm(ops, "oak", 0), 1);
		info = mallinfo2();
		if (!i)
			before = info.arena + info.hblkhd;
		CHECK(info.arena + info.hblkhd < before + 0x20000);
		CHECK_EQ(patchbay_disarm(ops, "oak"), 1);
	}
}

int main(void)
{
	ops = create();
	look_up();
	patterns();
	matching();
	lists();
	notrace();
	cookies();
	wrong();
	foreign();
	many();
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("done");
	return 0;
}
