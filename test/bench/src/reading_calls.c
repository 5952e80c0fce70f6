// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: reading_calls CALLS. Makes at least CALLS calls, in requests of about seventy
// calls, nested about twelve levels deep.
#include <stdlib.h>

#define CALL __attribute__((noinline)) static

static volatile unsigned long work;
static unsigned long calls;

#define LEAF(name, n)                                                          \
	CALL void name(int depth)                                              \
	{                                                                      \
		calls++;                                                       \
		work += (unsigned long)depth * (n);                            \
	}
LEAF(accept_one, 1)
LEAF(read_word, 2)
LEAF(read_line, 3)
LEAF(skip_space, 4)
LEAF(hash, 5)
LEAF(compare, 6)
LEAF(copy, 7)
LEAF(reply, 8)

CALL void parse(int depth)
{
	calls++;
	read_word(depth);
	skip_space(depth);
	if (depth & 1)
		read_line(depth);
}

CALL void lookup(int depth)
{
	calls++;
	hash(depth);
	if (depth & 2)
		compare(depth);
	copy(depth);
}

CALL void walk(int depth)
{
	calls++;
	parse(depth);
	if (depth > 0) {
		walk(depth - 1);
		if (depth & 1)
			walk(depth - 2);
	}
	lookup(depth);
}

CALL void request(int number)
{
	calls++;
	accept_one(number);
	walk(number % 7);
	reply(number);
}

int main(int argc, char **argv)
{
	unsigned long wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	for (int i = 0; calls < wanted; i++)
		request(i);
	return 0;
}
