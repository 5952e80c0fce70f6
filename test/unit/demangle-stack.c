/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The most deeply nested names of maximum length use at most half of the demangler's
 * stack.
 */
// DEFINE: %{runtime} = %patchbay_source/runtime
// RUN: sh -c '%clang -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I %patchbay_include -I %{runtime} -I %{runtime}/core -I %{runtime}/trace -I %{runtime}/trace/arch/$(uname -m) %s %{runtime}/core/system/memory.c %{runtime}/trace/functions/readable.c %{runtime}/trace/format/name_forms.c %{runtime}/trace/format/name_parts.c %patchbay_build/runtime/trace/libpatchbay-demangle.a -o %t'
// RUN: %t | FileCheck %s
// CHECK: {{^}}15 names: right{{$}}
#include "call_on_stack.h"
#include "functions/readable.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 256 << 10, LONGEST = 16384 };

static char stack[SIZE] __attribute__((aligned(64)));
static char name[LONGEST + 64];

static void match(void *result)
{
	*(int *)result = pb_readable_match("none(*)", name);
}

static int has_room(void)
{
	int result = -1;
	size_t rest = 0;

	memset(stack, 0x5a, SIZE);
	pb_call_on_stack(stack + SIZE, match, &result);
	while (rest < SIZE && stack[rest] == 0x5a)
		rest++;
	if (rest >= SIZE / 2 && !result)
		return 1;
	printf("%.40s...: %zu bytes of stack, %d\n", name, SIZE - rest, result);
	return 0;
}

/* Demangles a name made of @begin, as many @part as fit, and @end. */
static int is_right(const char *begin, const char *part, const char *end)
{
	char *at = stpcpy(name, begin);

	while ((size_t)(at - name) + strlen(part) + strlen(end) <= LONGEST)
		at = stpcpy(at, part);
	strcpy(at, end);
	return has_room();
}

/*
 * Demangles types that each refer to the previous type, and to a later template
 * argument.
 */
static int is_chain_right(const char *type)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char last[8] = "", *at = stpcpy(name, "_ZN1AcvMFvT_");

	for (int i = 0; at - name < LONGEST - 24; i++) {
		char *digit = last;

		if (i >= 36 * 36)
			*digit++ = digits[i / 36 / 36];
		if (i >= 36)
			*digit++ = digits[i / 36 % 36];
		*digit++ = digits[i % 36];
		*digit = '\0';
		at += sprintf(at, "%sS%s_", type, last);
	}
	sprintf(at, "ES%s_IiEEv", last);
	return has_room();
}

int main(void)
{
	int nr = 0;

	nr += is_right("_Z1f", "P", "i");
	nr += is_right("_Z1f", "U1a", "i");
	nr += is_right("_Z1f", "A_", "i");
	nr += is_right("_Z1f", "M1a", "i");
	nr += is_right("_Z1f", "F", "i");
	nr += is_right("_Z1fI", "1aI", "i");
	nr += is_right("_Z1fI", "J", "i");
	nr += is_right("_Z1fIX", "ng", "Li1EEEvv");
	nr += is_right("_Z1fIX", "il", "E");
	nr += is_right("_Z", "Z", "1f");
	nr += is_right("_ZN1aUl", "Tt", "");
	nr += is_right("_ZN1aUl", "Tp", "");
	nr += is_right("_ZN1A1B", "B1a", "C1Ev");
	nr += is_chain_right("P");
	nr += is_chain_right("K");
	printf("%d names: %s\n", nr, nr == 15 ? "right" : "wrong");
	return 0;
}
