/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "context.h"

#include "peek.h"
#include "session/session.h"
#include "threads/count_losses.h"
#include "threads/ring.h"
#include "tracers.h"

#include <patchbay/args.h>

/* The length of "00-", 32 digits, "-", 16 digits, "-", 2 digits. */
#define LENGTH 55

int pb_context_wanted;

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read 16 hexadecimal digits. Returns 0 if @text has other characters. */
static int number(const char *text, uint64_t *value)
{
	*value = 0;
	for (int i = 0; i < 16; i++) {
		int d = digit(text[i]);

		if (d < 0)
			return 0;
		*value = *value << 4 | (uint64_t)d;
	}
	return 1;
}

/* Later versions than "00" may append fields. Version "ff" and ids of zeros are invalid. */
static int parse_context(const char text[LENGTH], uint64_t context[3])
{
	if (digit(text[0]) < 0 || digit(text[1]) < 0 ||
	    (text[0] == 'f' && text[1] == 'f') || text[2] != '-' ||
	    text[35] != '-' || text[52] != '-' || !number(text + 3, &context[0]) ||
	    !number(text + 19, &context[1]) || !number(text + 36, &context[2]))
		return 0;
	return (context[0] || context[1]) && context[2];
}

static uintptr_t find_context(const struct patchbay_cell *cell,
			      struct patchbay_regs *regs)
{
	const char *variable;
	uint64_t *arg;

	if (!pb_options.context_tls)
		return patchbay_arg(cell, regs, pb_options.context_arg, &arg) ?
			       0 :
			       (uintptr_t)*arg;
	/*
	 * The variable, which exists as long as its thread, is either a pointer to the
	 * string or an array that contains the string. The bytes of a traceparent are no
	 * valid address, so they show an array. So do the remaining bytes of a string that
	 * was emptied by setting its first byte to 0.
	 */
	variable = (const char *)__builtin_thread_pointer() +
		   pb_options.context_offset;
	if (digit(variable[0]) >= 0 && digit(variable[1]) >= 0 && variable[2] == '-')
		return (uintptr_t)variable;
	if (!variable[0] && variable[6] && variable[7])
		return 0;
	return *(const uintptr_t *)variable;
}

void pb_context_record(uint64_t function, const struct patchbay_cell *cell,
		       struct patchbay_regs *regs)
{
	uintptr_t at = find_context(cell, regs);
	int is_there;
	uint64_t context[3];
	char text[LENGTH];

	if (!at || pb_untraced || pb_locked)
		return;
	is_there = pb_peek(at, text, sizeof(text)) == (long)sizeof(text) &&
		   parse_context(text, context);
	if (!is_there)
		pb_count_no_context();
	for (unsigned int i = 0; is_there && i < 3; i++)
		pb_ring_record(context[i], PBD_CONTEXT + i, (uintptr_t)regs,
			       PBD_RECORD_ENTRY, function);
}
