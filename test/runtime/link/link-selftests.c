/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Links meet the expectations of the kernel's BPF selftests for tracing programs: the
 * same arguments, results, side effects and cookies. (fentry_test, fexit_test,
 * modify_return, get_func_args_test, get_func_ip_test, bpf_cookie,
 * kprobe_multi_session_cookie.)
 */
// RUN: %build %s -o %t -lpatchbay-link %link
// RUN: %t | FileCheck %s
// RUN: %build -O0 -fcf-protection=full -fno-sanitize=kcfi %s -o %t.O0 -lpatchbay-link %link
// RUN: %t.O0 | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/link.h"

#include <errno.h>
#include <string.h>

struct test_struct {
	struct test_struct *a;
};

OPAQUE int fentry_test1(int a) { return a + 1; }
OPAQUE int fentry_test2(int a, uint64_t b) { return (int)(a + b); }
OPAQUE int fentry_test3(char a, int b, uint64_t c) { return (int)(a + b + c); }
OPAQUE int fentry_test4(void *a, char b, int c, uint64_t d)
{
	return (int)((long)a + b + c + (long)d);
}
OPAQUE int fentry_test5(uint64_t a, void *b, short c, int d, uint64_t e)
{
	return (int)((long)a + (long)b + c + d + (long)e);
}
OPAQUE int fentry_test6(uint64_t a, void *b, short c, int d, void *e,
			uint64_t f)
{
	return (int)((long)a + (long)b + c + d + (long)e + (long)f);
}
OPAQUE int fentry_test7(struct test_struct *arg) { return (int)(long)arg; }
OPAQUE int fentry_test8(struct test_struct *arg) { return (int)(long)arg->a; }

/* The selftests' functions in order, with their arguments and results. */
static const struct expected {
	unsigned int nr;
	uint64_t args[6];
	int result;
} expected[8] = {
	{ 1, { 1 }, 2 },
	{ 2, { 2, 3 }, 5 },
	{ 3, { 4, 5, 6 }, 15 },
	{ 4, { 7, 8, 9, 10 }, 34 },
	{ 5, { 11, 12, 13, 14, 15 }, 65 },
	{ 6, { 16, 17, 18, 19, 20, 21 }, 111 },
	{ 1, { 0 }, 0 },
	{ 1, { 0 }, 0 }, /* unknown address */
};
static const uint64_t masks[8][6] = {
	{ UINT32_MAX },
	{ UINT32_MAX, UINT64_MAX },
	{ UINT8_MAX, UINT32_MAX, UINT64_MAX },
	{ UINT64_MAX, UINT8_MAX, UINT32_MAX, UINT64_MAX },
	{ UINT64_MAX, UINT64_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX },
	{ UINT64_MAX, UINT64_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX,
	  UINT64_MAX },
	{ UINT64_MAX },
	{ 0 },
};
static const uintptr_t functions[8] = {
	(uintptr_t)fentry_test1, (uintptr_t)fentry_test2,
	(uintptr_t)fentry_test3, (uintptr_t)fentry_test4,
	(uintptr_t)fentry_test5, (uintptr_t)fentry_test6,
	(uintptr_t)fentry_test7, (uintptr_t)fentry_test8,
};

static int call_fentry_tests(void)
{
	struct test_struct arg = { 0 };

	return fentry_test1(1) != 2 || fentry_test2(2, 3) != 5 ||
	       fentry_test3(4, 5, 6) != 15 ||
	       fentry_test4((void *)7, 8, 9, 10) != 34 ||
	       fentry_test5(11, (void *)12, 13, 14, 15) != 65 ||
	       fentry_test6(16, (void *)17, 18, 19, (void *)20, 21) != 111 ||
	       fentry_test7(NULL) != 0 || fentry_test8(&arg) != 0;
}

/* For each function, how often a program saw the expected values. */
static int entry_results[8], exit_results[8];

/* The cookie is the index in the tables above. */
NOT_TRACED GENERAL_REGS static int
is_as_expected(uintptr_t ip, const struct patchbay_cell *cell,
	       struct patchbay_regs *regs)
{
	uintptr_t i = (uintptr_t)patchbay_get_attach_cookie(cell);
	const struct expected *e = &expected[i];
	int ok = ip == functions[i] &&
		 patchbay_get_func_arg_cnt(cell) == e->nr;

	for (unsigned int n = 0; n < e->nr; n++)
		ok &= (patchbay_get_func_arg(cell, regs, n) & masks[i][n]) ==
		      e->args[n];
	return ok;
}

PROGRAM(on_entry)
{
	(void)parent_ip;
	entry_results[(uintptr_t)cell->data] += is_as_expected(ip, cell, regs);
}

PROGRAM(on_exit_)
{
	uintptr_t i = (uintptr_t)cell->data;

	(void)parent_ip;
	exit_results[i] += is_as_expected(ip, cell, regs) &&
			   (int)patchbay_get_func_ret(regs) ==
				   expected[i].result &&
			   !patchbay_exit_reason(regs);
}

static struct patchbay_link *attach(enum patchbay_link_kind kind,
				    patchbay_handler entry,
				    patchbay_handler leave,
				    const uintptr_t *addrs,
				    void *const *cookies, size_t nr)
{
	const struct patchbay_program program = {
		.size = sizeof(program),
		.entry = entry,
		.exit = leave,
		.flags = PATCHBAY_OPS_FAST,
		.nr_args = 1,
		.result = PATCHBAY_RETURN_GP,
	};
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.addrs = addrs,
						.cookies = cookies,
						.cnt = nr };
	const struct patchbay_link_opts opts = { .size = sizeof(opts),
						 .filter = &filter };
	struct patchbay_link *link;

	CHECK_EQ(patchbay_link_attach(kind, &program, &opts, &link), nr);
	return link;
}

/*
 * fentry_test, fexit_test and fentry_fexit: each test attaches, calls and detaches,
 * twice.
 */
static void test_fentry_fexit(void)
{
	void *cookies[8];

	for (uintptr_t i = 0; i < 8; i++)
		cookies[i] = (void *)i;
	for (int time = 1; time <= 2; time++) {
		struct patchbay_link *entry =
			attach(PATCHBAY_FENTRY, on_entry, NULL, functions,
			       cookies, 8);
		struct patchbay_link *leave =
			attach(PATCHBAY_FEXIT, NULL, on_exit_, functions,
			       cookies, 8);

		CHECK_EQ(call_fentry_tests(), 0);
		CHECK_EQ(patchbay_link_destroy(entry), 0);
		CHECK_EQ(patchbay_link_destroy(leave), 0);
		CHECK_EQ(call_fentry_tests(), 0);
		for (int i = 0; i < 8; i++) {
			CHECK_EQ(entry_results[i], time);
			CHECK_EQ(exit_results[i], time);
		}
	}
}

OPAQUE int modify_return_test(int a, int *b)
{
	*b += 1;
	return a + *b;
}
OPAQUE int modify_return_test2(int a, int *b, short c, int d, void *e, char f,
			       int g)
{
	*b += 1;
	return (int)(a + *b + c + d + (long)e + f + g);
}

static int input_retval, sequence, fentry_result, fmod_ret_result, fexit_result;

PROGRAM(fentry_sequence)
{
	UNUSED_CONTEXT;
	fentry_result += ++sequence == 1;
}
PROGRAM(fmod_ret)
{
	(void)ip;
	(void)parent_ip;
	fmod_ret_result += ++sequence == 2 &&
			   (int)patchbay_get_func_arg(cell, regs, 0) == 1;
	if (input_retval)
		patchbay_override_return(regs, (uint64_t)input_retval);
}
PROGRAM(fexit_sequence)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	fexit_result += ++sequence == 3 &&
			(input_retval ?
				 (int)patchbay_get_func_ret(regs) ==
						 input_retval &&
					 patchbay_exit_reason(regs) ==
						 PATCHBAY_EXIT_SKIP :
				 !patchbay_exit_reason(regs));
}

/* Checks the caller's result, and how often the body ran. */
static void run_modify_return(int retval, int want_side_effect, int want_ret)
{
	int b = 2, ret, side_effect = 0;

	input_retval = retval;
	fentry_result = fmod_ret_result = fexit_result = sequence = 0;
	ret = modify_return_test(1, &b);
	side_effect += b != 2;
	b = 2;
	sequence = 0;
	ret += modify_return_test2(1, &b, 3, 4, (void *)5, 6, 7);
	side_effect += b != 2;
	CHECK_EQ(side_effect, want_side_effect);
	CHECK_EQ(ret, want_ret);
	CHECK_EQ(fentry_result, 2);
	CHECK_EQ(fmod_ret_result, 2);
	CHECK_EQ(fexit_result, 2);
}

static void test_modify_return(void)
{
	const uintptr_t addrs[] = { (uintptr_t)modify_return_test,
				    (uintptr_t)modify_return_test2 };
	struct patchbay_link *links[] = {
		attach(PATCHBAY_FENTRY, fentry_sequence, NULL, addrs, NULL, 2),
		attach(PATCHBAY_MODIFY_RETURN, fmod_ret, NULL, addrs, NULL, 2),
		attach(PATCHBAY_FEXIT, NULL, fexit_sequence, addrs, NULL, 2),
	};

	run_modify_return(0, 2, 33);
	run_modify_return(-EINVAL, 0, -EINVAL * 2);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(patchbay_link_destroy(links[i]), 0);
}

/* bpf_cookie: each type of link on one function has its own cookie. */
#define FENTRY_COOKIE 0x10000000000000L
#define FEXIT_COOKIE 0x20000000000000L
#define FMOD_RET_COOKIE 0x30000000000000L

static long fentry_cookie, fexit_cookie, fmod_ret_cookie;

PROGRAM(note_fentry)
{
	UNUSED_CONTEXT;
	fentry_cookie |= (long)patchbay_get_attach_cookie(cell);
}
PROGRAM(note_fexit)
{
	UNUSED_CONTEXT;
	fexit_cookie |= (long)patchbay_get_attach_cookie(cell);
}
PROGRAM(note_fmod_ret)
{
	UNUSED_CONTEXT;
	fmod_ret_cookie |= (long)patchbay_get_attach_cookie(cell);
}

static void test_cookies(void)
{
	const uintptr_t addr = (uintptr_t)modify_return_test;
	void *cookies[] = { (void *)FENTRY_COOKIE, (void *)FEXIT_COOKIE,
			    (void *)FMOD_RET_COOKIE };
	struct patchbay_link *links[] = {
		attach(PATCHBAY_FENTRY, note_fentry, NULL, &addr, &cookies[0],
		       1),
		attach(PATCHBAY_FEXIT, NULL, note_fexit, &addr, &cookies[1], 1),
		attach(PATCHBAY_MODIFY_RETURN, note_fmod_ret, NULL, &addr,
		       &cookies[2], 1),
	};
	int b = 2;

	CHECK_EQ(modify_return_test(1, &b), 4);
	CHECK_EQ(fentry_cookie, FENTRY_COOKIE);
	CHECK_EQ(fexit_cookie, FEXIT_COOKIE);
	CHECK_EQ(fmod_ret_cookie, FMOD_RET_COOKIE);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(patchbay_link_destroy(links[i]), 0);
}

/* The exit finds the session word that the entry of the same call stored. */
static int session_entries, session_exits;

PROGRAM(session_entry)
{
	(void)ip;
	(void)parent_ip;
	*patchbay_session_word(cell, regs) = 0x12345678u + session_entries++;
}
PROGRAM(session_exit)
{
	(void)ip;
	(void)parent_ip;
	session_exits += *patchbay_session_word(cell, regs) ==
			 0x12345678u + session_exits;
}

static void test_session(void)
{
	struct patchbay_link *link = attach(PATCHBAY_SESSION, session_entry,
					    session_exit, functions, NULL, 8);

	CHECK_EQ(call_fentry_tests(), 0);
	CHECK_EQ(session_entries, 8);
	CHECK_EQ(session_exits, 8);
	CHECK_EQ(patchbay_link_destroy(link), 0);
}

int main(void)
{
	test_fentry_fexit();
	test_modify_return();
	test_cookies();
	test_session();
	puts("done");
	return 0;
}
