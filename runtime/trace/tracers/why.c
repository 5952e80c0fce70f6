/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "why.h"

#include "session/session.h"
#include "session/slow_calls.h"
#include "session/syscalls.h"
#include "system/moment.h"
#include "threads/thread_choice.h"
#include "tracers.h"

#include <fcntl.h>
#include <here.h>

uint64_t pb_why_threshold = UINT64_MAX;
uint64_t pb_why_ns_per_tick;

/* Copy the stack by a system call, which cannot fault: the end of the stack is unknown. */
static void copy_stack(struct pbd_slow *slow, uint64_t begin)
{
	long fd, size;

	slow->stack_begin = begin;
	slow->stack_size = slow->stack_error = 0;
	fd = pb_sys(SYS_openat, AT_FDCWD, "/proc/thread-self/mem",
		    O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? fd :
			pb_sys(SYS_pread64, (int)fd, slow->stack,
			       (size_t)PB_WHY_STACK, begin);
	if (fd >= 0)
		pb_sys(SYS_close, (int)fd);
	if (size < 0)
		slow->stack_error = (uint32_t)-size;
	else
		slow->stack_size = (uint32_t)size;
}

static uint64_t to_ns(uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * pb_why_ns_per_tick >> 32);
}

/*
 * Get space for the call's data. Holds the session's lock only during this function,
 * because calls in several threads are often slow at the same time.
 */
static struct pbd_slow *find_place(uint64_t *id, uint64_t now_ns)
{
	struct pbd_slow *slow = NULL;

	pb_guard(&pb_session->lock);
	if (!pb_session_events() && pb_session->why) {
		slow = pb_slow_calls_take();
		if (slow) {
			__atomic_store_n(&slow->id, 0, __ATOMIC_RELEASE);
			*id = ++pb_session->why->nr;
			slow->maps = pb_mapped_look(now_ns);
		} else {
			pb_session->why->lost++;
		}
	}
	return slow;
}

static void lose(void)
{
	if (pb_session->why)
		__atomic_fetch_add(&pb_session->why->lost, 1, __ATOMIC_RELAXED);
}

/* Out of line, because the copy of the stack begins with this function's frame. */
static __attribute__((noinline)) void fill_in(struct pbd_slow *slow,
					      uintptr_t parent_ip,
					      struct patchbay_regs *regs)
{
	pb_here(slow->here);
	slow->caller_pc = parent_ip;
	slow->caller_sp = pb_caller_sp(regs);
	slow->caller_fp = patchbay_call(regs)->frame_pointer;
	copy_stack(slow, slow->here[7] ? slow->here[7] : slow->caller_sp);
}

/*
 * With max-overhead=: the remaining CPU time for examining slow calls. Negative if the
 * examination has exceeded the allowance; later allowances pay the difference back first.
 */
static int64_t room_ns = PB_WHY_FIRST_NS;
static uint64_t spent_ns;

static uint64_t begin_spending(void)
{
	if (!pb_options.max_overhead)
		return 0;
	return __atomic_load_n(&room_ns, __ATOMIC_RELAXED) > 0 ?
		       pb_now_ns(CLOCK_THREAD_CPUTIME_ID) :
		       UINT64_MAX;
}

static void end_spending(uint64_t begin_ns)
{
	uint64_t ns;

	if (!pb_options.max_overhead)
		return;
	ns = pb_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	__atomic_fetch_sub(&room_ns, (int64_t)ns, __ATOMIC_RELAXED);
	__atomic_fetch_add(&spent_ns, ns, __ATOMIC_RELAXED);
}

uint64_t pb_why_spent(void)
{
	return __atomic_exchange_n(&spent_ns, 0, __ATOMIC_RELAXED);
}

void pb_why_allow(uint64_t ns)
{
	/* Limit the sum of unused allowances, to avoid bursts. */
	if (__atomic_load_n(&room_ns, __ATOMIC_RELAXED) < (int64_t)(4 * ns))
		__atomic_fetch_add(&room_ns, (int64_t)ns, __ATOMIC_RELAXED);
}

static int is_chosen(void)
{
	return pb_thread_is_chosen(!pb_self || !pb_self->number);
}

/*
 * Returns the calling thread's ring of switches. At the thread's first event returns an
 * early ring, or @none.
 */
static struct pb_switches *switches(struct pb_switches *none)
{
	struct pb_switches *early;

	if (pb_self && pb_self->number)
		return &pb_self->switches;
	early = pb_switches_early((uint32_t)pb_sys(SYS_gettid));
	return early ? early : none;
}

void pb_why_record(uint64_t function, uintptr_t parent_ip,
		   struct patchbay_regs *regs, uint64_t duration)
{
	int saved_errno = errno;
	struct pb_switches none = { 0 };
	struct pbd_slow *slow;
	uint64_t id = 0, now_ns, spending_ns, cost_ns = 0;

	if (pb_untraced)
		return;
	if (pb_locked || !pb_syscalls_begin()) {
		lose();
		return;
	}
	spending_ns = begin_spending();
	if (spending_ns == UINT64_MAX) {
		lose();
		pb_syscalls_end();
		errno = saved_errno;
		return;
	}
	now_ns = pb_now_ns(CLOCK_MONOTONIC);
	slow = is_chosen() ? find_place(&id, now_ns) : NULL;
	if (slow) {
		slow->flags = 0;
		slow->ns = to_ns(duration);
		slow->begin_ns = now_ns - slow->ns;
		pb_switches_read(switches(&none), slow);
		fill_in(slow, parent_ip, regs);
		__atomic_store_n(&slow->id, id, __ATOMIC_RELEASE);
		cost_ns = pb_now_ns(CLOCK_MONOTONIC) - now_ns;
	}
	end_spending(spending_ns);
	pb_syscalls_end();
	if (slow) {
		pb_ring_record(id, PBD_SLOW_CALL, (uintptr_t)regs,
			       PBD_RECORD_ENTRY, function);
		pb_ring_record(cost_ns, PBD_SLOW_COST, (uintptr_t)regs,
			       PBD_RECORD_ENTRY, function);
	}
	errno = saved_errno;
}

void pb_why_forget(void)
{
	pb_switches_forget_early();
	pb_slow_calls_forget();
	__atomic_store_n(&pb_why_threshold, UINT64_MAX, __ATOMIC_RELAXED);
	pb_tracer_update_long_call();
	room_ns = PB_WHY_FIRST_NS;
	spent_ns = 0;
}
