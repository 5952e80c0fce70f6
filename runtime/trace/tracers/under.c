/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handlers of tracers with under=. The root tracer's handlers write a thread-local
 * variable, which the handlers of recording tracers read.
 *
 * After a fork() beneath a root, both processes continue beneath that root, because the
 * child has copies of the variable and the stack. A thread that is created beneath a root
 * begins without a root. On another stack (fibers, signal handlers on an alternate stack)
 * calls count as beneath a root if that stack is at lower addresses.
 */
#include "under.h"

#include "session/session.h"
#include "threads/count_losses.h"
#include "threads/thread.h"

#include <core/system/private.h>
#include <patchbay/exit.h>

/*
 * @frame: the frame of the outermost open call of a root, or 0
 * @era:   the era in which that call began
 */
struct open_root {
	uintptr_t frame;
	uint64_t era;
};

static __thread struct open_root open_root
	__attribute__((tls_model("initial-exec")));

/*
 * Changes when roots are replaced, so that open calls of former roots become invalid.
 */
static uint64_t era;
/* 1: no roots exist, so all calls are recorded. */
static int everywhere = 1;

/*
 * Session word of a call that is not beneath a root. No tracer's own handler stores this
 * value.
 */
#define OUTSIDE UINT64_MAX
/*
 * Session word of a call beneath a root, unless the tracer's own entry handler stores
 * another value.
 */
#define BENEATH 1

static inline int is_beneath(const struct patchbay_regs *regs)
{
	if ((uintptr_t)regs <= open_root.frame &&
	    open_root.era == __atomic_load_n(&era, __ATOMIC_RELAXED))
		return 1;
	return __atomic_load_n(&everywhere, __ATOMIC_RELAXED);
}

/* Counts only calls that the tracer would probably have recorded. */
void pb_count_missed(const struct patchbay_ops *ops)
{
	const int is_recording =
		!pb_tracer_needs_blocks || __atomic_load_n(&pb_recording, __ATOMIC_RELAXED);

	/* If @ops is NULL, the tracer is unknown: count the call. */
	if ((ops && ops != pb_tracer && ops != pb_values_tracer && ops != pb_typed_tracer) ||
	    pb_untraced || !is_recording || !is_beneath((const struct patchbay_regs *)1) ||
	    (pb_options.nr_threads && !pb_self))
		return;
	pb_count_loss(PBD_MISSED_IN_HANDLER);
}

void pb_under_exchange(uint64_t new_era)
{
	__atomic_store_n(&era, new_era, __ATOMIC_RELAXED);
	__atomic_store_n(&everywhere, !new_era, __ATOMIC_RELAXED);
}

uint64_t pb_under_era(void)
{
	return era;
}

/*
 * A root beneath another root is an ordinary call. If this root's frame is above the stored
 * frame, the stored root has ended without an exit, for example by longjmp().
 */
PB_HANDLER(pb_root_entry)
{
	const uint64_t now = __atomic_load_n(&era, __ATOMIC_RELAXED);

	if (open_root.era == now && (uintptr_t)regs <= open_root.frame)
		return;
	/*
	 * A signal handler that interrupts this function finds no root, the old root or the
	 * new root.
	 */
	__atomic_store_n(&open_root.frame, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	open_root.era = now;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&open_root.frame, (uintptr_t)regs, __ATOMIC_RELAXED);
	if (!__atomic_load_n(&pb_under_waiting, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&pb_under_waiting, 0, __ATOMIC_RELAXED);
	if (pb_session->chunk)
		pb_session_unflag(PBD_SESSION_NO_ROOT);
}

PB_HANDLER(pb_root_exit)
{
	if (open_root.frame == (uintptr_t)regs)
		open_root.frame = 0;
}

/* The recording tracers' own handlers, which run only beneath roots. */
static struct patchbay_ops_attr beneath[PB_NR_TRACERS];

struct patchbay_ops_attr *pb_under_beneath(enum pb_tracer_of of)
{
	return &beneath[of];
}

/*
 * Compute the duration and compare it with the threshold, as libpatchbay does for other
 * tracers.
 */
static inline void time_exit(const struct patchbay_ops_attr *attr, uintptr_t ip,
			     uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs)
{
	uint64_t end = patchbay_clock();
	uint64_t duration =
		patchbay_ticks(*patchbay_session_word(cell, regs), end);

	pb_private_count_open_call(-1);
	if (duration < __atomic_load_n(attr->threshold, __ATOMIC_RELAXED))
		return;
	patchbay_call(regs)->duration = duration;
	attr->exit(ip, parent_ip, cell, regs);
}

static inline __attribute__((always_inline)) void
enter(const struct patchbay_ops_attr *attr, uintptr_t ip, uintptr_t parent_ip,
      const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	if (!is_beneath(regs)) {
		if (attr->exit) {
			*patchbay_session_word(cell, regs) = OUTSIDE;
			patchbay_forgo_exit(regs);
		}
		return;
	}
	if (attr->handler) {
		if (attr->exit)
			*patchbay_session_word(cell, regs) = BENEATH;
		attr->handler(ip, parent_ip, cell, regs);
	} else {
		pb_private_count_open_call(1);
		*patchbay_session_word(cell, regs) = patchbay_clock();
	}
}

static inline __attribute__((always_inline)) void
leave(const struct patchbay_ops_attr *attr, uintptr_t ip, uintptr_t parent_ip,
      const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	if (*patchbay_session_word(cell, regs) == OUTSIDE)
		return;
	if (attr->handler)
		attr->exit(ip, parent_ip, cell, regs);
	else
		time_exit(attr, ip, parent_ip, cell, regs);
}

/* The exit of a tracer that was created without under=, so libpatchbay times its calls. */
static inline __attribute__((always_inline)) void
leave_timed(const struct patchbay_ops_attr *attr, uintptr_t ip,
	    uintptr_t parent_ip, const struct patchbay_cell *cell,
	    struct patchbay_regs *regs)
{
	if (is_beneath(regs))
		attr->exit(ip, parent_ip, cell, regs);
}

#define HANDLER(name, does, of)                                                \
	PB_HANDLER(name)                                                 \
	{                                                                      \
		does(&beneath[of], ip, parent_ip, cell, regs);                 \
	}

HANDLER(pb_under_entry, enter, PB_PLAIN)
HANDLER(pb_under_exit, leave, PB_PLAIN)
HANDLER(pb_under_timed_exit, leave_timed, PB_PLAIN)
HANDLER(pb_under_values_entry, enter, PB_VALUES)
HANDLER(pb_under_values_exit, leave, PB_VALUES)
HANDLER(pb_under_values_timed_exit, leave_timed, PB_VALUES)
HANDLER(pb_under_typed_entry, enter, PB_TYPED)
HANDLER(pb_under_typed_exit, leave, PB_TYPED)
