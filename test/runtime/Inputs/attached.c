/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs for `patchbay attach`. All programs except one write one line to
 * stderr.
 */
#include <patchbay/link.h>

#include <string.h>
#include <unistd.h>

/*
 * Uses more stack than the library's thread itself, as a program's constructor
 * may.
 */
__attribute__((constructor)) static void use_stack(void)
{
	char large[700000];

	memset(large, 1, sizeof(large));
	__asm__ volatile("" ::"r"(large) : "memory");
}

#define ONCE(text)                                                             \
	do {                                                                   \
		static int said;                                               \
		if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))          \
			write(2, text "\n", sizeof(text));                     \
	} while (0)
#define HANDLER(name)                                                          \
	void name(uintptr_t ip, uintptr_t parent_ip,                           \
		  const struct patchbay_cell *cell, struct patchbay_regs *regs)
#define UNUSED ((void)ip, (void)parent_ip, (void)cell, (void)regs)

HANDLER(on_entry)
{
	UNUSED;
	ONCE("entry");
}

HANDLER(on_each_entry)
{
	UNUSED;
	write(2, "entry\n", 6);
}

HANDLER(on_return)
{
	UNUSED;
	ONCE("exit");
}

HANDLER(answer)
{
	UNUSED;
	ONCE("answer");
	patchbay_override_return(regs, 7);
}

HANDLER(session_entry)
{
	UNUSED;
	*patchbay_session_word(cell, regs) = 42;
}

HANDLER(session_exit)
{
	UNUSED;
	if (*patchbay_session_word(cell, regs) == 42)
		ONCE("session");
}

const struct patchbay_program both = {
	.size = sizeof(both), .entry = session_entry, .exit = session_exit,
};
const struct patchbay_program two_args = {
	.size = sizeof(two_args), .entry = on_entry, .nr_args = 2,
};
/* One program has the smaller struct of an older header. Another one has a wrong size. */
struct older {
	size_t size;
	patchbay_handler entry, exit;
	unsigned int flags, nr_args;
};
const struct older older = { .size = sizeof(older), .entry = on_entry };
const struct older cut = { .size = sizeof(older) + 1, .entry = on_entry };
int number = 1;
