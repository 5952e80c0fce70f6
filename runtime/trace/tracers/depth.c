/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers with depth=N do not record calls that are nested in N or more traced
 * calls.
 *
 * Frames show the nesting: the frame of a call is below that of its caller. The recorder does
 * not see the exits of calls that longjmp() cuts off. When a call has a higher frame, the calls
 * below it are dropped. On another stack (fibers, signal handlers with their own stack) the
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

/* In a call that is too deep, the exit handler finds this instead of a time. */
#define TOO_DEEP 0

/*
 * A signal handler may interrupt this. When it has returned, its calls are dropped, because
 * their frames are lower. At worst @nr becomes too small.
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
 * The call is too deep. If the architecture supports it, the call then needs no stack for its
 * exit.
 */
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
