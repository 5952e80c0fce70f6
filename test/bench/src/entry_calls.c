/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls functions with entries of different kinds, each between the instructions MARK_BEGIN
 * and MARK_END, and prints their names in that order, for harness/entries.py. Functions are
 * armed before their first call, because an emulator may ignore changes of executed text.
 */
#include "handlers.h"

#include <stdio.h>
#include <string.h>

#define WORD(number) WORD_(number)
#define WORD_(number) __asm__ volatile(".long " #number ::: "memory")

#define FOREIGN __attribute__((no_instrument_function))

typedef long function(long);

__attribute__((noinline)) static long between_marks(function *f, long x)
{
	long result;

	WORD(MARK_BEGIN);
	result = f(x);
#ifdef __aarch64__ /* on other architectures, instructions of the call separate it from the mark */
	__asm__ volatile("nop");
#endif
	WORD(MARK_END);
	return result;
}

static long entry_ours(long x) { return x + 1; }
static long entry_ours_armed(long x) { return x + 1; }
static long entry_ours_any(long x) { return x + 1; }
static long entry_ours_exit(long x) { return x + 1; }
static long entry_ours_exit_any(long x) { return x + 1; }
static long entry_ours_exits(long x) { return x + 1; }
static long entry_ours_answer(long x) { return x + 1; }

#ifdef __powerpc64__
extern function entry_plain, entry_mflr_nop, entry_mflr_bl, entry_in_line;
#else
__attribute__((no_profile_instrument_function)) static long
entry_plain(long x) { return x + 1; }
#endif

static long hooked;

FOREIGN static void hook(uintptr_t ip, uintptr_t parent_ip)
{
	(void)ip, (void)parent_ip;
}

FOREIGN static void counting_hook(uintptr_t ip, uintptr_t parent_ip)
{
	(void)ip, (void)parent_ip;
	hooked++;
}

void (*entry_hook)(uintptr_t ip, uintptr_t parent_ip);

static const struct {
	const char *name;
	function *volatile function; /* volatile: hides the callee from the compiler */
	int hooks;
	const char *arm; /* Patchbay's entries: the name to arm, and the number of tracers */
	int tracers;
	unsigned int flags;
	patchbay_handler handler, exit;
} calls[] = {
	{ "plain", entry_plain, 0, NULL, 0, 0, NULL, NULL },
	{ "ours-off", entry_ours, 0, NULL, 0, 0, NULL, NULL },
	{ "ours", entry_ours_armed, 1, "entry_ours_armed", 1, PATCHBAY_OPS_FAST,
	  count_call, NULL },
	{ "ours-any-handler", entry_ours_any, 1, "entry_ours_any", 1, 0,
	  count_call, NULL },
	{ "ours-exit", entry_ours_exit, 2, "entry_ours_exit", 1,
	  PATCHBAY_OPS_FAST, count_call, count_call },
	{ "ours-exit-any-handler", entry_ours_exit_any, 2,
	  "entry_ours_exit_any", 1, 0, count_call, count_call },
	{ "ours-exits", entry_ours_exits, 4, "entry_ours_exits", 2,
	  PATCHBAY_OPS_FAST, count_call, count_call },
	{ "ours-answer", entry_ours_answer, 1, "entry_ours_answer", 1,
	  PATCHBAY_OPS_FAST, answer_call, patchbay_no_exit },
#ifdef __powerpc64__
	{ "mflr-nop", entry_mflr_nop, 0, NULL, 0, 0, NULL, NULL },
	{ "in-line", entry_in_line, 1, NULL, 0, 0, NULL, NULL },
	{ "mflr-bl", entry_mflr_bl, 1, NULL, 0, 0, NULL, NULL },
#endif
};
#define NR (sizeof(calls) / sizeof(calls[0]))
#define MAX_TRACERS 2

static int arm(int i, struct patchbay_ops **ops)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = calls[i].flags,
		.handler = calls[i].handler,
		.exit = calls[i].exit,
	};

	for (int tracer = 0; tracer < calls[i].tracers; tracer++)
		if (patchbay_ops_create(&attr, &ops[tracer]) ||
		    patchbay_arm(ops[tracer], calls[i].arm, 0) != 1)
			return 1;
	return 0;
}

/* Replace the handlers, which changes cells, but not the text of armed sites. */
static int ignore(int i, struct patchbay_ops **ops)
{
	for (int tracer = 0; tracer < calls[i].tracers; tracer++)
		if (calls[i].handler == count_call &&
		    patchbay_ops_update_both(ops[tracer], ignore_call,
					     calls[i].exit ? ignore_call : NULL))
			return 1;
	return 0;
}

static int fail(int i, const char *what)
{
	fprintf(stderr, "%s: %s\n", calls[i].name, what);
	return 1;
}

int main(void)
{
	struct patchbay_ops *ops[NR][MAX_TRACERS] = { 0 };

	/*
	 * First check with counting handlers that all hooks are called. Then replace these
	 * handlers by empty handlers.
	 */
	for (int i = 0; i < (int)NR; i++)
		if (arm(i, ops[i]))
			return fail(i, "not armed");
	entry_hook = counting_hook;
	for (int i = 0; i < (int)NR; i++) {
		long before = hooked + (long)counted_calls;

		if (calls[i].function(10) != 11)
			return fail(i, "wrong result");
		if (hooked + (long)counted_calls - before != calls[i].hooks)
			return fail(i, "not hooked");
	}
	for (int i = 0; i < (int)NR; i++)
		if (ignore(i, ops[i]))
			return fail(i, "not updated");
	entry_hook = hook;
	for (int i = 0; i < (int)NR; i++) {
		if (between_marks(calls[i].function, 10) != 11)
			return fail(i, "wrong result");
		printf("%s\n", calls[i].name);
	}
	return 0;
}
