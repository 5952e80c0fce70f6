/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with depth=N do not record calls that are nested in N or more traced
 * calls.
 *
 * The nesting follows from frames: the frame of a call is below the frame of its caller.
 * Calls that longjmp() leaves have no exits, so a call with a higher frame drops all calls
 * with lower frames. On another stack (fibers, signal handlers with their own stack) the
 * depth begins at 0.
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

/* Session word of a call that is too deep; otherwise the word is a time. */
#define TOO_DEEP 0

/*
 * A signal handler that interrupts this function may add calls with lower frames, which are
 * dropped later, or make @nr too small, which is harmless.
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
 * The call is too deep: give up its exit, which saves the stack space for the exit on some
 * architectures.
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
	pb_threshold_graph_exit(ip, parent_ip, cell, regs);
}
