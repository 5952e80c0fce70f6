/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Callers that were compiled with an older header, and so pass shorter structures,
 * still work. The library does not access memory past the end of a structure, and
 * refuses handlers of another version.
 */
// RUN: %build -fno-sanitize=kcfi %s -o %t -lpatchbay-link %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/link.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define END(type, field)                                                       \
	(offsetof(struct type, field) + sizeof(((struct type *)0)->field))
#define BAD ((void *)0xbad)

/* Fields of the first version never move; new fields follow them. */
_Static_assert(PATCHBAY_OPS_ATTR_SIZE_VER0 == END(patchbay_ops_attr, handler), "");
_Static_assert(PATCHBAY_OPS_INFO_SIZE_VER0 == END(patchbay_ops_info, armed), "");
_Static_assert(PATCHBAY_FILTER_SIZE_VER0 == END(patchbay_filter, glob), "");
_Static_assert(PATCHBAY_STATS_SIZE_VER0 == END(patchbay_stats, memory), "");
_Static_assert(PATCHBAY_PROGRAM_SIZE_VER0 == END(patchbay_program, nr_args), "");
_Static_assert(PATCHBAY_LINK_OPTS_SIZE_VER0 == END(patchbay_link_opts, filter), "");
_Static_assert(PATCHBAY_LINK_INFO_SIZE_VER0 == END(patchbay_link_info, attached), "");

OPAQUE int iris(int a) { return a; }
OPAQUE int lily(int a) { return a; }

static int calls;
static void *seen;

PROGRAM(count)
{
	UNUSED_CONTEXT;
	calls++;
	seen = cell->data;
}

/* Checks that a tracer made from @attr is called once, with @data. */
static void works(const struct patchbay_ops_attr *attr, void *data)
{
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "iris", 0), 1);
	calls = 0;
	iris(1);
	CHECK_EQ(calls, 1);
	CHECK(seen == data);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static void tracers(void)
{
	struct patchbay_ops_attr attr = { .flags = PATCHBAY_OPS_FAST,
					  .handler = count,
					  .data = &calls,
					  .threshold = BAD };

	attr.size = offsetof(struct patchbay_ops_attr, threshold);
	works(&attr, &calls);
	attr.check_arg = BAD;
	attr.check = (int (*)(void *, const struct patchbay_target *))BAD;
	attr.exit = (patchbay_handler)BAD;
	attr.attach = (int (*)(void *, const struct patchbay_module_info *,
			       struct patchbay_target *, size_t))BAD;
	attr.size = offsetof(struct patchbay_ops_attr, attach);
	works(&attr, &calls);
	attr.size = PATCHBAY_OPS_ATTR_SIZE_VER0;
	works(&attr, NULL);
}

static void filters(struct patchbay_ops *ops)
{
	const uintptr_t addrs[] = { (uintptr_t)iris };
	struct patchbay_filter notrace = { .size = PATCHBAY_FILTER_SIZE_VER0,
					   .glob = "lily",
					   .addrs = addrs,
					   .cnt = 1,
					   .notrace = BAD };
	struct patchbay_filter filter = { .size = PATCHBAY_FILTER_SIZE_VER0,
					  .glob = "[il]*y",
					  .regex = BAD,
					  .notrace = BAD,
					  .addrs = addrs,
					  .cnt = 1 };

	CHECK_EQ(patchbay_arm_filter(ops, &filter, PATCHBAY_ARM_FUTURE), 1);
	CHECK_EQ(patchbay_disarm_filter(ops, &filter), 1);
	filter = (struct patchbay_filter){ .size = END(patchbay_filter, notrace),
					   .glob = "*i[rl]*",
					   .notrace = &notrace,
					   .arg = BAD };
	memset(&filter.match, 0xff, sizeof(filter.match));
	CHECK_EQ(patchbay_arm_filter(ops, &filter, PATCHBAY_ARM_FUTURE), 1);
	calls = 0;
	iris(1);
	lily(1);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_disarm_filter(ops, &filter), 1);
	notrace.size--;
	CHECK_EQ(patchbay_arm_filter(ops, &filter, 0), -EINVAL);
}

/* Checks that @get writes @size_ bytes and leaves the following bytes unchanged. */
#define CHECK_WRITTEN(get, info, size_)                                        \
	do {                                                                   \
		memset(&(info), 0xee, sizeof(info));                           \
		(info).size = (size_);                                         \
		CHECK_EQ(get, 0);                                              \
		CHECK_EQ((info).size, (size_));                                \
		for (size_t at = (size_); at < sizeof(info); at++)             \
			CHECK_EQ(((unsigned char *)&(info))[at], 0xee);        \
	} while (0)

static void infos(struct patchbay_ops *ops, struct patchbay_link *link)
{
	struct patchbay_ops_info of;
	struct patchbay_stats stats;
	struct patchbay_link_info info;

	CHECK_EQ(patchbay_arm(ops, "lily", 0), 1);
	CHECK_WRITTEN(patchbay_ops_get_info(ops, &of), of, PATCHBAY_OPS_INFO_SIZE_VER0);
	CHECK_EQ(of.enabled + (int)of.armed, 2);
	CHECK_WRITTEN(patchbay_get_stats(&stats), stats,
		      offsetof(struct patchbay_stats, unnamed));
	CHECK(stats.batches > 0);
	CHECK_WRITTEN(patchbay_get_stats(&stats), stats, PATCHBAY_STATS_SIZE_VER0);
	CHECK_EQ(stats.armed, 2);
	CHECK_WRITTEN(patchbay_link_get_info(link, &info), info,
		      PATCHBAY_LINK_INFO_SIZE_VER0);
	CHECK_EQ(info.attached, 1);
	CHECK(info.program.entry == count);
	CHECK_EQ(info.program.nr_fp_args, 0);
}

static char logged[256];

static void note(void *arg, const char *name, uintptr_t entry, int error,
		 const char *reason)
{
	(void)arg, (void)name, (void)entry;
	snprintf(logged, sizeof(logged), "%d: %s", error, reason);
}

static void links(struct patchbay_ops *ops)
{
	struct patchbay_filter filter = { .size = PATCHBAY_FILTER_SIZE_VER0,
					  .glob = "iris",
					  .cookies = BAD,
					  .cnt = 7 };
	struct patchbay_program program = { .size = PATCHBAY_PROGRAM_SIZE_VER0,
					    .flags = PATCHBAY_OPS_FAST,
					    .entry = count,
					    .nr_args = 1,
					    .result = PATCHBAY_RETURN_FP,
					    .nr_fp_args = 7 };
	struct patchbay_link_opts opts = { .size = PATCHBAY_LINK_OPTS_SIZE_VER0,
					   .filter = &filter,
					   .cookie = BAD,
					   .flags = ~0u };
	struct patchbay_link *link;

	CHECK_EQ(patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, &link), 1);
	calls = 0;
	iris(1);
	CHECK_EQ(calls, 1);
	CHECK(!seen);
	CHECK_EQ(patchbay_link_update(link, &program), 0);
	infos(ops, link);
	CHECK_EQ(patchbay_link_destroy(link), 0);

	opts = (struct patchbay_link_opts){ .size = sizeof(opts),
					    .filter = &filter,
					    .log = note };
	filter.size--;
	CHECK_EQ(patchbay_link_attach(PATCHBAY_FENTRY, &program, &opts, &link),
		 -EINVAL);
	CHECK(!strcmp(logged, "-22: a filter of another size"));
	filter.size++;
	CHECK_EQ(patchbay_link_attach_abi(PATCHBAY_FENTRY, &program, &opts, &link,
					  PATCHBAY_HANDLER_ABI + 1),
		 -EPROTONOSUPPORT);
	CHECK(!link);
	CHECK(!strcmp(logged, "-93: the program was compiled with headers of "
			      "another version of this library"));
}

/*
 * Programs that were compiled for the first version, or for another version, call these
 * functions.
 */
static void versions(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr), .handler = count };
	int (*create)(const struct patchbay_ops_attr *, struct patchbay_ops **) =
		(__typeof__(create))dlsym(RTLD_DEFAULT, "patchbay_ops_create");
	struct patchbay_ops *ops = NULL;

	CHECK_EQ(patchbay_ops_create_abi(&attr, &ops, PATCHBAY_HANDLER_ABI + 1),
		 -EPROTONOSUPPORT);
	CHECK(!ops);
	CHECK_EQ(patchbay_ops_create_abi(&attr, &ops, ~0u), -EPROTONOSUPPORT);
	CHECK(create && dlsym(RTLD_DEFAULT, "patchbay_link_attach"));
	/* PATCHBAY_HANDLER_ABI is 0 while the library has the first version. */
	CHECK_EQ(create(&attr, &ops), PATCHBAY_HANDLER_ABI ? -EPROTONOSUPPORT : 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

int main(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.flags = PATCHBAY_OPS_FAST,
						.handler = count };
	struct patchbay_ops *ops;

	tracers();
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	filters(ops);
	links(ops);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	versions();
	puts("done");
	return 0;
}
