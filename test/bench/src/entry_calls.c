/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls functions that have entries of different forms, each between the
 * instructions MARK_BEGIN and MARK_END, and prints their names in that order;
 * harness/entries.py reads both. Ours are armed before they are first called:
 * an emulator that sees no other patched text sees that.
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
#ifdef __aarch64__ /* elsewhere something comes between call and mark */
	__asm__ volatile("nop");
#endif
	WORD(MARK_END);
	return result;
}

static long entry_ours(long x) { return x + 1; }
static long entry_ours_armed(long x) { return x + 1; }
static long entry_ours_any(long x) { return x + 1; }
static long entry_ours_exit(long x) { return x + 1; }

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
	function *volatile function; /* nothing is known of a call */
	const char *arm; /* ours: the name again */
	unsigned int flags;
	int exits, hooks;
} calls[] = {
	{ "plain", entry_plain, NULL, 0, 0, 0 },
	{ "ours-off", entry_ours, NULL, 0, 0, 0 },
	{ "ours", entry_ours_armed, "entry_ours_armed", PATCHBAY_OPS_FAST, 0, 1 },
	{ "ours-any-handler", entry_ours_any, "entry_ours_any", 0, 0, 1 },
	{ "ours-exit", entry_ours_exit, "entry_ours_exit", PATCHBAY_OPS_FAST, 1,
	  2 },
#ifdef __powerpc64__
	{ "mflr-nop", entry_mflr_nop, NULL, 0, 0, 0 },
	{ "in-line", entry_in_line, NULL, 0, 0, 1 },
	{ "mflr-bl", entry_mflr_bl, NULL, 0, 0, 1 },
#endif
};
#define NR (sizeof(calls) / sizeof(calls[0]))

static int arm(int i, struct patchbay_ops **ops)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = calls[i].flags,
		.handler = count_call,
		.exit = calls[i].exits ? count_call : NULL,
	};

	if (!calls[i].arm)
		return 0;
	return patchbay_ops_create(&attr, ops) ||
	       patchbay_arm(*ops, calls[i].arm, 0) != 1;
}

/* Cells lead to other handlers then: no text of armed sites changes. */
static int ignore(int i, struct patchbay_ops *ops)
{
	if (calls[i].exits)
		return patchbay_ops_update_both(ops, ignore_call, ignore_call);
	return ops ? patchbay_ops_update(ops, ignore_call) : 0;
}

static int fail(int i, const char *what)
{
	fprintf(stderr, "%s: %s\n", calls[i].name, what);
	return 1;
}

int main(void)
{
	struct patchbay_ops *ops[NR] = { 0 };

	/* Counters show that all are called, and go when that is known. */
	for (int i = 0; i < (int)NR; i++)
		if (arm(i, &ops[i]))
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
