/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Links work: updates, order, links and tracers together on a function, and information
 * about a link.
 */
// RUN: %build %s -o %t -lpatchbay-link %link
// RUN: %t | FileCheck %s
// RUN: %build -fno-sanitize=kcfi %s -o %t.plain -lpatchbay-link %link
// RUN: %t.plain | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/link-attach.h"

#include <errno.h>

/* Is the body skipped if a program may replace the result? */
#ifdef __x86_64__
#define NO_BODY_CALL 1
#else
#define NO_BODY_CALL 0
#endif

/* On ppc64le doubles use up integer registers, so these locations are unknown. */
#ifdef __powerpc64__
#define INTEGER_ARGS 0
#else
#define INTEGER_ARGS 1
#endif

OPAQUE int fern_one(int a) { return a; }
OPAQUE int fern_two(int a, int b) { return a + b; }
OPAQUE int fern_three(int a, int b, int c) { return a + b + c; }
OPAQUE double moor_scale(int a, double b, float c) { return a * b * c; }
OPAQUE int moss_one(int a) { return a + 1; }
OPAQUE void *rush_caller(void) { return __builtin_return_address(0); }
OPAQUE int moss_two(int a) { return a + 2; }

static int arg_sum;
static char order[16];

PROGRAM(sum_args)
{
	UNUSED_CONTEXT;
	arg_sum += (int)patchbay_get_func_arg(cell, regs, 0);
}
/* Reads arguments from registers other than general ones. */
static double scaled;

static void see_scale(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	UNUSED_CONTEXT;
	CHECK_EQ(patchbay_get_func_fp_arg_cnt(cell), 2);
	scaled = INTEGER_ARGS * (int)patchbay_get_func_arg(cell, regs, 0) +
		 patchbay_get_func_arg_double(regs, 0) +
		 (double)patchbay_get_func_arg_float(regs, 1);
}

/* Appends the cookie, a letter, to the log. */
PROGRAM(write_order)
{
	int i = 0;

	UNUSED_CONTEXT;
	while (order[i])
		i++;
	order[i] = (char)(uintptr_t)patchbay_get_attach_cookie(cell);
}
PROGRAM(override)
{
	UNUSED_CONTEXT;
	patchbay_override_return(regs, (uintptr_t)cell->data);
}

/*
 * Replaces the result if the argument is larger than the cookie, and adds 100 to the
 * argument.
 */
PROGRAM(change)
{
	uint64_t *arg = patchbay_regs_gp(regs, 0);

	UNUSED_CONTEXT;
	if (*arg > (uintptr_t)cell->data)
		patchbay_override_return(regs, 1000);
	*arg += 100;
}

static void test_update(void)
{
	const struct patchbay_program one = { .size = sizeof(one),
					      .flags = PATCHBAY_OPS_FAST,
					      .entry = sum_args,
					      .nr_args = 1 };
	struct patchbay_program next = one, small = one;

	CHECK_EQ(attach(PATCHBAY_FENTRY, &one, "moss_*", 0), 2);
	arg_sum = calls = 0;
	CHECK_EQ(moss_one(5) + moss_two(6), 14);
	CHECK_EQ(arg_sum, 11);
	next.entry = count;
	next.nr_args = 0;
	CHECK_EQ(patchbay_link_update(latest, &next), 0);
	CHECK_EQ(moss_one(5), 6);
	CHECK_EQ(arg_sum, 11);
	CHECK_EQ(calls, 1);
	/* An update may keep the requirements or relax them. */
	CHECK_EQ(patchbay_link_update(latest, &one), 0);
	next.nr_args = 2;
	CHECK_EQ(patchbay_link_update(latest, &next), -EINVAL);
	next = asking(one, 0, PATCHBAY_RETURN_GP);
	CHECK_EQ(patchbay_link_update(latest, &next), -EINVAL);
	next = one;
	next.flags = 0;
	CHECK_EQ(patchbay_link_update(latest, &next), -EINVAL);
	CHECK_EQ(patchbay_link_update(latest, &fexit), -EINVAL);
	small.size = PATCHBAY_PROGRAM_SIZE_VER0 - 1;
	CHECK_EQ(patchbay_link_update(latest, &small), -EINVAL);
	CHECK_EQ(moss_one(5), 6);
	CHECK_EQ(arg_sum, 16);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
}

/* Reads integer and floating-point arguments, at the entry and at the exit. */
static void test_floating(void)
{
	struct patchbay_program program = { .size = sizeof(program),
					    .entry = see_scale,
					    .nr_args = INTEGER_ARGS,
					    .nr_fp_args = 2 };
	struct patchbay_program more = program;

	CHECK_EQ(attach(PATCHBAY_FENTRY, &program, "moor_*", 0), 1);
	CHECK(moor_scale(2, 1.25, 3.5f) == 8.75);
	CHECK(scaled == INTEGER_ARGS * 2 + 4.75);
	more.nr_fp_args = 3;
	CHECK_EQ(patchbay_link_update(latest, &more), -EINVAL);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	program.exit = program.entry;
	program.entry = NULL;
	scaled = 0;
	CHECK_EQ(attach(PATCHBAY_FEXIT, &program, "m??r_*", 0), 1);
	CHECK(moor_scale(-4, 0.5, 8) == -16);
	CHECK(scaled == INTEGER_ARGS * -4 + 8.5);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(attach(PATCHBAY_FEXIT, &program, "mo*",
			PATCHBAY_LINK_SKIP_INVALID),
		 1);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
}

static void test_info(void)
{
	struct patchbay_link_info info = { .size = sizeof(info) };
	struct patchbay_link_info small = { .size = PATCHBAY_LINK_INFO_SIZE_VER0 - 1 };

	CHECK_EQ(attach(PATCHBAY_FEXIT, &fexit, "fern_t*",
			PATCHBAY_LINK_SKIP_INVALID),
		 2);
	CHECK_EQ(patchbay_link_get_info(latest, &small), -EINVAL);
	CHECK_EQ(patchbay_link_get_info(latest, &info), 0);
	CHECK_EQ(info.kind, PATCHBAY_FEXIT);
	CHECK_EQ(info.flags, PATCHBAY_LINK_SKIP_INVALID);
	CHECK(info.program.exit == count && !info.program.entry);
	CHECK_EQ(info.attached, 2);
	CHECK_EQ(info.nmissed, 0);
	calls = 0;
	CHECK_EQ(patchbay_link_detach(latest), 0);
	CHECK_EQ(fern_two(1, 2), 3);
	CHECK_EQ(calls, 0);
	CHECK_EQ(patchbay_link_get_info(latest, &info), 0);
	CHECK_EQ(info.attached, 0);
	CHECK_EQ(patchbay_link_detach(latest), -ENOLINK);
	CHECK_EQ(patchbay_link_update(latest, &fexit), -ENOLINK);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(patchbay_link_destroy(NULL), 0);
}

static void check_order(const char *expected)
{
	memset(order, 0, sizeof(order));
	CHECK_EQ(moss_one(1), 2);
	CHECK(!strcmp(order, expected));
}

/*
 * Attaches a tracer and links of every type to one function and to many. Entries run in
 * the order of attaching, exits in reverse order, each with its own cookie.
 */
static void test_order(void)
{
	static const enum patchbay_link_kind kinds[] = {
		PATCHBAY_FENTRY, PATCHBAY_SESSION, PATCHBAY_MODIFY_RETURN,
		PATCHBAY_FEXIT, PATCHBAY_SESSION, PATCHBAY_FENTRY,
	};
	static const char *const globs[] = { "moss_one", "moss_*", "moss_one",
					     "moss_*", "moss_one", "moss_*" };
	struct patchbay_link *links[6];
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = write_order,
					  .data = (void *)(uintptr_t)'t' };
	struct patchbay_ops *ops;

	for (int i = 0; i < 6; i++) {
		struct patchbay_program program = {
			.size = sizeof(program),
			.flags = i % 2 ? PATCHBAY_OPS_FAST : 0,
			.entry = kinds[i] == PATCHBAY_FEXIT ? NULL :
							      write_order,
			.exit = kinds[i] == PATCHBAY_FEXIT ||
						kinds[i] == PATCHBAY_SESSION ?
					write_order :
					NULL,
		};
		const struct patchbay_filter filter = { .size = sizeof(filter),
							.glob = globs[i] };

		CHECK_EQ(attach_opts(kinds[i], &program,
				     (struct patchbay_link_opts){
					     .filter = &filter,
					     .cookie = (void *)(uintptr_t)(
						     'a' + i) }),
			 strcmp(globs[i], "moss_*") ? 1 : 2);
		links[i] = latest;
	}
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "moss_one", 0), 1);
	check_order("abceftedb");
	memset(order, 0, sizeof(order));
	CHECK_EQ(moss_two(1), 3);
	CHECK(!strcmp(order, "bfdb"));
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(patchbay_link_destroy(links[0]), 0);
	CHECK_EQ(patchbay_link_destroy(links[3]), 0);
	check_order("bcefeb");
	CHECK_EQ(patchbay_link_destroy(links[1]), 0);
	check_order("cefe");
	CHECK_EQ(patchbay_link_destroy(links[2]), 0);
	check_order("efe");
	CHECK_EQ(patchbay_link_destroy(links[4]), 0);
	check_order("f");
	CHECK_EQ(patchbay_link_destroy(links[5]), 0);
}

/*
 * If several programs override the result, the last one wins. All programs are called.
 */
static void test_override(void)
{
	struct patchbay_program program = { .size = sizeof(program),
					    .flags = PATCHBAY_OPS_FAST,
					    .entry = override,
					    .result = PATCHBAY_RETURN_GP };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "fern_one" };
	struct patchbay_link *links[2];

	for (uintptr_t i = 0; i < 2; i++) {
		CHECK_EQ(attach_opts(PATCHBAY_MODIFY_RETURN, &program,
				     (struct patchbay_link_opts){
					     .filter = &filter,
					     .cookie = (void *)(70 + i) }),
			 1);
		links[i] = latest;
		CHECK_EQ(fern_one(3), (int)(70 + i));
	}
	CHECK_EQ(patchbay_link_destroy(links[1]), 0);
	CHECK_EQ(fern_one(3), 70);
	CHECK_EQ(patchbay_link_destroy(links[0]), 0);
	CHECK_EQ(fern_one(3), 3);
}

/*
 * The body receives the argument that the program stored, whether the link is alone on
 * its function or not.
 */
static void test_change(void)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .flags = PATCHBAY_OPS_FAST,
						  .entry = change };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "moss_one" };
	struct patchbay_link *changing;

	CHECK_EQ(attach_opts(PATCHBAY_MODIFY_RETURN, &program,
			     (struct patchbay_link_opts){
				     .filter = &filter,
				     .cookie = (void *)10 }),
		 1);
	changing = latest;
	for (int others = 0; others < 2; others++) {
		if (others)
			CHECK_EQ(attach(PATCHBAY_FEXIT, &fexit, "moss_one", 0),
				 1);
		calls = 0;
		CHECK_EQ(moss_one(5), 106);
		CHECK_EQ(moss_one(11), 1000);
		CHECK_EQ(moss_one(6), 107);
		CHECK_EQ(calls, 3 * others);
	}
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(moss_one(5), 106);
	CHECK_EQ(patchbay_link_destroy(changing), 0);
	CHECK_EQ(moss_one(5), 6);
}

/* The only function that calls rush_caller(). */
static __attribute__((noinline)) void *caller_of_rush(void)
{
	void *caller = rush_caller();

	__asm__ volatile("");
	return caller;
}

/* Without an exit program, no trampoline is between the function and its caller. */
static void test_caller(void)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .flags = PATCHBAY_OPS_FAST,
						  .entry = count };
	void *caller = caller_of_rush();

	CHECK_EQ(attach(PATCHBAY_MODIFY_RETURN, &program, "rush_*", 0), 1);
	calls = 0;
	CHECK_EQ(caller_of_rush() == caller, NO_BODY_CALL);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK_EQ(attach(PATCHBAY_FEXIT, &fexit, "rush_*", 0), 1);
	CHECK(caller_of_rush() != caller);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
	CHECK(caller_of_rush() == caller);
	CHECK_EQ(calls, 2);
}

/* Calls of the library from inside a program fail and change nothing. */
static void meddle(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	struct patchbay_link_info info = { .size = sizeof(info) };
	struct patchbay_program program = { .size = sizeof(program),
					    .entry = meddle };

	UNUSED_CONTEXT;
	CHECK_EQ(patchbay_link_get_info(latest, &info), 0); /* allowed: only reads */
	CHECK_EQ(patchbay_link_update(latest, &program), -EDEADLK);
	CHECK_EQ(patchbay_link_detach(latest), -EDEADLK);
	CHECK_EQ(patchbay_link_destroy(latest), -EDEADLK);
	calls++;
}

static void test_inside(void)
{
	const struct patchbay_program program = { .size = sizeof(program),
						  .entry = meddle };

	CHECK_EQ(attach(PATCHBAY_FENTRY, &program, "moss_one", 0), 1);
	calls = 0;
	CHECK_EQ(moss_one(1), 2);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_link_destroy(latest), 0);
}

int main(void)
{
	test_update();
	test_floating();
	test_info();
	test_order();
	test_override();
	test_change();
	test_caller();
	test_inside();
	CHECK(!cookie_seen);
	puts("done");
	return 0;
}
