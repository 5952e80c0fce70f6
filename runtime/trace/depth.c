/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with depth=N: calls that are within N or more traced calls are not
 * recorded.
 *
 * Which calls a thread is in is told by their frames, since a call's is below
 * that of the one it is in. So what longjmp() cuts off, whose exit nobody sees,
 * is gone at the next call from above it. On another stack (fibers, signal
 * handlers with one of their own) depth begins anew.
 */
#include "tracers.h"

#include <patchbay/exit.h>

unsigned int pb_depth;

/* The outermost calls, pb_depth at most. */
struct open_calls {
	unsigned int nr;
	uintptr_t frame[PB_DEPTH_MAX];
};

static __thread struct open_calls open_calls
	__attribute__((tls_model("initial-exec")));

/* What an exit handler finds of a call that is too deep: no time is that. */
#define TOO_DEEP 0

/*
 * A signal handler may come in between, but when it is over its frames, which
 * are lower, are not there any more; the worst that can be is a number that is
 * too small.
 */
static void leave(uintptr_t frame)
{
	unsigned int nr = open_calls.nr;

	while (nr && open_calls.frame[nr - 1] <= frame)
		nr--;
	open_calls.nr = nr;
}

static int enter(uintptr_t frame)
{
	leave(frame);
	if (open_calls.nr >= pb_depth)
		return 0;
	open_calls.frame[open_calls.nr] = frame;
	open_calls.nr++;
	return 1;
}

/* So what is too deep takes no stack, where that can be had. */
static inline void forgo_exit(const struct patchbay_cell *cell,
			      struct patchbay_regs *regs)
{
	*patchbay_session_word(cell, regs) = TOO_DEEP;
	patchbay_forgo_exit(regs);
}

void pb_depth_duration_entry(uintptr_t ip, uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	if (enter((uintptr_t)regs))
		*patchbay_session_word(cell, regs) = patchbay_clock();
	else
		forgo_exit(cell, regs);
}

void pb_depth_graph_entry(uintptr_t ip, uintptr_t parent_ip,
			  const struct patchbay_cell *cell,
			  struct patchbay_regs *regs)
{
	if (enter((uintptr_t)regs))
		pb_graph_entry(ip, parent_ip, cell, regs);
	else
		forgo_exit(cell, regs);
}

void pb_depth_exit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell,
		   struct patchbay_regs *regs)
{
	if (*patchbay_session_word(cell, regs) == TOO_DEEP)
		return;
	leave((uintptr_t)regs);
	pb_graph_exit(ip, parent_ip, cell, regs);
}
