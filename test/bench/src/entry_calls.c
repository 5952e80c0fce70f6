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
	WORD(MARK_END);
	return result;
}

static long entry_ours(long x) { return x + 1; }
static long entry_ours_armed(long x) { return x + 1; }
static long entry_ours_any(long x) { return x + 1; }

extern function entry_plain, entry_mflr_nop, entry_mflr_bl, entry_in_line;

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
	int hooks;
} calls[] = {
	{ "plain", entry_plain, NULL, 0, 0 },
	{ "ours-off", entry_ours, NULL, 0, 0 },
	{ "mflr-nop", entry_mflr_nop, NULL, 0, 0 },
	{ "ours", entry_ours_armed, "entry_ours_armed", PATCHBAY_OPS_FAST, 1 },
	{ "ours-any-handler", entry_ours_any, "entry_ours_any", 0, 1 },
	{ "in-line", entry_in_line, NULL, 0, 1 },
	{ "mflr-bl", entry_mflr_bl, NULL, 0, 1 },
};
#define NR (sizeof(calls) / sizeof(calls[0]))

static int arm(int i, patchbay_handler handler, struct patchbay_ops **ops)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.flags = calls[i].flags,
						.handler = handler };

	if (!calls[i].arm)
		return 0;
	return patchbay_ops_create(&attr, ops) ||
	       patchbay_arm(*ops, calls[i].arm, 0) != 1;
}

static int fail(int i, const char *what)
{
	fprintf(stderr, "%s: %s\n", calls[i].name, what);
	return 1;
}

int main(void)
{
	struct patchbay_ops *counters[NR] = { 0 }, *empty[NR];

	/* The counter shows that all are called; it goes when that is known. */
	for (int i = 0; i < (int)NR; i++)
		if (arm(i, count_call, &counters[i]))
			return fail(i, "not armed");
	entry_hook = counting_hook;
	for (int i = 0; i < (int)NR; i++) {
		long before = hooked + (long)counted_calls;

		if (calls[i].function(10) != 11)
			return fail(i, "wrong result");
		if (hooked + (long)counted_calls - before != calls[i].hooks)
			return fail(i, "not hooked");
	}
	/* Cells lead to another handler then: no text of armed sites changes. */
	for (int i = 0; i < (int)NR; i++)
		if (arm(i, ignore_call, &empty[i]) ||
		    (counters[i] && patchbay_ops_destroy(counters[i])))
			return fail(i, "not armed again");
	entry_hook = hook;
	for (int i = 0; i < (int)NR; i++) {
		if (between_marks(calls[i].function, 10) != 11)
			return fail(i, "wrong result");
		printf("%s\n", calls[i].name);
	}
	return 0;
}
