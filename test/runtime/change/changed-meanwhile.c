/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Another writer, such as a debugger that sets a breakpoint, changes text between the
 * library's read and its write. The breakpoint stays, and all functions are armed. If
 * the change makes a function invalid, arming fails, and all code is as before.
 */
// RUN: %build %s -o %t %link
// RUN: timeout -s KILL 600 %t elsewhere
// RUN: timeout -s KILL 600 %t here
#include "../Inputs/check.h"
#include "../Inputs/count-calls.h"
#include "../Inputs/repeat.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/*
 * No call reaches the changed code. The functions take several blocks. The change is
 * after the first block, so the library must roll back earlier writes.
 */
#define NOPS "\x90\x90\x90\x90\x90"
#define FUNCTION(n)                                                            \
	OPAQUE static int meanwhile##n(int a)                                  \
	{                                                                      \
		if (a < 0)                                                     \
			__asm__ volatile(".skip 1024, 0x90");                  \
		return a + 1;                                                  \
	}
X256(FUNCTION, _)
#define ADDRESS(n) meanwhile##n,
static int (*const functions[])(int) = { X256(ADDRESS, _) };
enum { NR = sizeof(functions) / sizeof(functions[0]), AROUND = 32 };

static unsigned char texts[NR][2 * AROUND];

/* The address to change at the library's first comparison of a block; then NULL. */
static char *place, byte;

static void poke(char *at, char to)
{
	const int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	CHECK(file >= 0);
	CHECK_EQ(pwrite(file, &to, 1, (off_t)at), 1);
	close(file);
}

/* A compiler may call bcmp() instead of memcmp() where only equality matters. */
#define NOT_TRACED __attribute__((no_profile_instrument_function, no_builtin))
NOT_TRACED int memcmp(const void *left, const void *right, size_t size)
{
	const unsigned char *l = left, *r = right;

	if (place && size > AROUND && place - (char *)l < (long)size && place > (char *)l) {
		char *const at = place;

		place = NULL;
		poke(at, byte);
	}
	for (; size; size--, l++, r++)
		if (*l != *r)
			return *l - *r;
	return 0;
}

NOT_TRACED int bcmp(const void *left, const void *right, size_t size)
{
	return memcmp(left, right, size);
}

/*
 * Compares the text except the slot. The slot may now point to a cell without tracers,
 * which has no effect.
 */
static int is_unchanged(int i)
{
	const char *text = (char *)functions[i] - AROUND;
	const int slot = AROUND - 16, after = slot + 8;

	return !memcmp(texts[i], text, slot) &&
	       !memcmp(texts[i] + after, text + after, 2 * AROUND - after);
}

static long calls_seen(void)
{
	calls = 0;
	for (int i = 0; i < NR; i++)
		CHECK_EQ(functions[i](i), i + 1);
	return calls;
}

static void *sleep_in_thread(void *arg)
{
	pause();
	return arg;
}

int main(int argc, char **argv)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.handler = handler };
	struct patchbay_ops *ops;
	pthread_t thread;
	char *at = (char *)functions[NR / 2];
	int here;

	CHECK_EQ(argc, 2);
	here = !strcmp(argv[1], "here");
	CHECK_EQ(pthread_create(&thread, NULL, sleep_in_thread, NULL), 0);
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	at = here ? at : memmem(at, 1024, NOPS, sizeof(NOPS) - 1);
	CHECK(at);
	byte = (char)~*at;
	for (int i = 0; i < NR; i++)
		for (int k = 0; k < 2 * AROUND; k++) {
			char *text = (char *)functions[i] - AROUND + k;

			texts[i][k] = (unsigned char)(text == at ? byte : *text);
		}
	place = at;
	CHECK_EQ(patchbay_arm(ops, "meanwhile_*", 0), here ? -EILSEQ : NR);
	CHECK(!place);
	CHECK_EQ(*at, byte);
	if (here)
		for (int i = 0; i < NR; i++)
			CHECK(is_unchanged(i));
	if (here)
		poke(at, (char)~byte);
	CHECK_EQ(calls_seen(), here ? 0 : NR);
	if (!here)
		CHECK_EQ(patchbay_disarm(ops, "meanwhile_*"), NR);
	CHECK_EQ(*at, here ? (char)~byte : byte);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK_EQ(calls_seen(), 0);
	return 0;
}
