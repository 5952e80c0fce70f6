/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with depth=N do not record calls that are nested in N or more traced
 * calls.
 *
 * Frames show the nesting: the frame of a call is below that of its caller. Exits of calls
 * that longjmp() leaves are not seen, so when a call with a higher frame comes, calls with
 * lower frames are dropped. On another stack (fibers, signal handlers with their own stack)
 * the depth begins at 0.
 */
#include "options/options.h"
#include "tracers.h"

#include <patchbay/exit.h>

unsigned int pb_depth;

/* The outermost open calls, at most pb_depth. */
struct open_calls {
	unsigned int nr;
	uintptr_t frame[PB_DEPTH_MAX];
};

static __thread struct open_calls open_calls
	__attribute__((tls_model("initial-exec")));

/* Session word of a call that is too deep, instead of a time. */
#define TOO_DEEP 0

/*
 * Calls of a signal handler that interrupts this have lower frames and are dropped later.
 * At worst @nr is too small.
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

/*
 * The call is too deep: give up its exit, so that it needs no stack for that if the
 * architecture supports it.
 */
static inline void forgo_exit(const struct patchbay_cell *cell,
			      struct patchbay_regs *regs)
{
	*patchbay_session_word(cell, regs) = TOO_DEEP;
	patchbay_forgo_exit(regs);
}

PB_HANDLER(pb_depth_duration_entry)
{
	if (enter((uintptr_t)regs))
		*patchbay_session_word(cell, regs) = patchbay_clock();
	else
		forgo_exit(cell, regs);
}

PB_HANDLER(pb_depth_graph_entry)
{
	if (enter((uintptr_t)regs))
		pb_graph_entry(ip, parent_ip, cell, regs);
	else
		forgo_exit(cell, regs);
}

PB_HANDLER(pb_depth_exit)
{
	if (*patchbay_session_word(cell, regs) == TOO_DEEP)
		return;
	leave((uintptr_t)regs);
	pb_graph_exit(ip, parent_ip, cell, regs);
}
