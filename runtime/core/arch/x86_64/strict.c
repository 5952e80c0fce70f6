/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Strict mode of x86-64. For code that other processors execute Intel asks for
 * an algorithm that keeps them away from it (SDM vol. 3A, 10.1.3, "Handling
 * Self- and Cross-Modifying Code"). What does so without stopping them is the
 * algorithm of Linux (text_poke_bp), which Intel and AMD have agreed to: a trap
 * instead of the first byte, so that nobody executes the rest; then the rest;
 * then the first byte; and every processor serializes after each step.
 *
 * A thread that meets the trap gets SIGTRAP. Its handler may run at any time on
 * any thread, so it takes no lock: it looks for the address in a table that is
 * never freed and whose sequence number tells when it has changed meanwhile. A
 * thread may also be on the way to the handler while the change is completed;
 * then the trap is gone, and it executes what has come instead.
 */
#include "strict.h"

#include "arch/x86_64/insn.h"
#include "stats.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define TRAP_BREAKPOINT 3 /* #BP in REG_TRAPNO */
#define EFLAGS_CF 1

int pb_strict;
int pb_strict_unfit;

/*
 * Where traps are or may be, sorted. Readers have no time limit, so a table that
 * has become too small is kept; each is at least twice as large as the last.
 */
struct table {
	struct table *outgrown;
	size_t room;
	uintptr_t addr[];
};

static struct table *table;
static size_t nr_traps;
static uint64_t sequence; /* odd while the table is being changed */
static int stuck; /* traps are left that could not be taken away */

/*
 * Who handled SIGTRAP before us. Read without a lock, so on a page of its own,
 * which is not writable once it is filled in.
 */
#define PAGE 4096
static union {
	struct sigaction action;
	char page[PAGE];
} previous __attribute__((aligned(PAGE)));

static void begin_write(void)
{
	__atomic_store_n(&sequence, sequence + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_write(void)
{
	__atomic_store_n(&sequence, sequence + 1, __ATOMIC_RELEASE);
}

static int is_listed(uintptr_t addr)
{
	const struct table *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	size_t low = 0, high = __atomic_load_n(&nr_traps, __ATOMIC_RELAXED);

	/* The two may not belong together; the sequence number will tell. */
	if (high > (t ? t->room : 0))
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uintptr_t at = __atomic_load_n(&t->addr[middle],
					       __ATOMIC_RELAXED);

		if (at == addr)
			return 1;
		if (at < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* Where to go on after a trap at @addr: 0 if it is none of ours. */
static uintptr_t resume_at(uintptr_t addr)
{
	uint64_t before;
	uint8_t opcode;
	int listed;

	do {
		before = __atomic_load_n(&sequence, __ATOMIC_ACQUIRE);
		opcode = __atomic_load_n((const uint8_t *)addr,
					 __ATOMIC_RELAXED);
		/* The change is complete. */
		if (opcode == PATCHBAY_X86_64_SITE_DISARMED ||
		    opcode == PATCHBAY_X86_64_SITE_CALL ||
		    opcode == PATCHBAY_X86_64_SITE_JMP)
			return addr;
		listed = opcode == PATCHBAY_X86_64_TRAP && is_listed(addr);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (before & 1 ||
		 __atomic_load_n(&sequence, __ATOMIC_RELAXED) != before);
	return listed ? addr + PATCHBAY_X86_64_SITE_BRANCH_SIZE : 0;
}

static void call_previous(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *old = &previous.action;

	/* SIGTRAP itself stays: what is called may meet our traps. */
	pthread_sigmask(SIG_BLOCK, &old->sa_mask, NULL);
	if (old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(signal, info, context);
	} else if (old->sa_handler == SIG_IGN && info->si_code <= 0) {
		return; /* sent by a process; a trap cannot be ignored */
	} else if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) {
		struct sigaction dfl = { .sa_handler = SIG_DFL };

		sigaction(SIGTRAP, &dfl, NULL);
		raise(SIGTRAP);
	} else {
		old->sa_handler(signal);
	}
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uintptr_t addr = (uintptr_t)regs[REG_RIP] - 1, to = 0;

	/* Not one that was sent: what the registers say is old then. */
	if (info->si_code > 0 && regs[REG_TRAPNO] == TRAP_BREAKPOINT)
		to = resume_at(addr);
	if (!to) {
		call_previous(signal, info, context);
		return;
	}
	pb_count(&pb_stats.strict_traps);
	/* As behind the test of a disarmed site: the jb is not taken. */
	regs[REG_EFL] &= ~(greg_t)EFLAGS_CF;
	regs[REG_RIP] = (greg_t)to;
}

int pb_strict_init(void)
{
	/*
	 * No signal is blocked: the handler leaves no trace if it is
	 * interrupted. SIGTRAP neither, because the handler before us may call
	 * what is traced, and a trap that is blocked kills the process.
	 */
	struct sigaction action = { .sa_sigaction = on_trap,
				    .sa_flags = SA_SIGINFO | SA_NODEFER |
						SA_ONSTACK | SA_RESTART };

	if (pb_strict)
		return 0;
	if (pb_strict_unfit)
		return -EBUSY;
	if (sigaction(SIGTRAP, NULL, &previous.action))
		return -errno;
	if (mprotect(&previous, sizeof(previous), PROT_READ))
		return -errno;
	if (sigaction(SIGTRAP, &action, NULL)) {
		mprotect(&previous, sizeof(previous), PROT_READ | PROT_WRITE);
		return -errno;
	}
	pb_strict = 1;
	return 0;
}

int pb_strict_begin(size_t nr)
{
	struct sigaction now;

	if (stuck)
		return -EIO;
	if (sigaction(SIGTRAP, NULL, &now))
		return -errno;
	if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != on_trap)
		return -EBUSY;
	return nr > (table ? table->room : 0) ? -ENOMEM : 0;
}

int pb_strict_reserve(size_t nr)
{
	struct table *larger;
	size_t room = table ? table->room : 0;

	pb_may_allocate();
	if (nr <= room)
		return 0;
	if (nr < 2 * room)
		nr = 2 * room;
	larger = malloc(sizeof(*larger) + nr * sizeof(larger->addr[0]));
	if (!larger)
		return -ENOMEM;
	larger->room = nr;
	pb_engine_lock();
	larger->outgrown = table;
	/* Some only if they are stuck: threads still meet them. */
	for (size_t i = 0; i < nr_traps; i++)
		larger->addr[i] = table->addr[i];
	begin_write();
	__atomic_store_n(&table, larger, __ATOMIC_RELEASE);
	end_write();
	pb_engine_unlock();
	return 0;
}

static void add(uintptr_t addr)
{
	size_t i = nr_traps;

	begin_write();
	for (; i && table->addr[i - 1] > addr; i--)
		__atomic_store_n(&table->addr[i], table->addr[i - 1],
				 __ATOMIC_RELAXED);
	__atomic_store_n(&table->addr[i], addr, __ATOMIC_RELAXED);
	__atomic_store_n(&nr_traps, nr_traps + 1, __ATOMIC_RELAXED);
	end_write();
}

static const uint8_t int3 = PATCHBAY_X86_64_TRAP;

int pb_strict_set(int text, uintptr_t addr, uint8_t first)
{
	if (nr_traps == table->room)
		return -ENOMEM;
	/* Before there can be a trap. */
	add(addr);
	return pb_text_write(text, addr, &first, &int3, 1);
}

int pb_strict_clear(int text, uintptr_t addr, uint8_t first)
{
	int error;

	if (!is_listed(addr))
		return -EILSEQ;
	error = pb_text_write(text, addr, &int3, &first, 1);
	/* Writing has been possible before. Threads go on past the trap. */
	if (error && *(const uint8_t *)addr == PATCHBAY_X86_64_TRAP)
		stuck = 1;
	return error;
}

_Static_assert(PATCHBAY_X86_64_SITE_DISARMED == PATCHBAY_X86_64_TRAMP_INDIRECT,
	       "sites and tramps go on alike");

int pb_strict_remove(int text, uintptr_t addr)
{
	return pb_strict_clear(text, addr, PATCHBAY_X86_64_SITE_DISARMED);
}

void pb_strict_end(void)
{
	if (stuck)
		return;
	begin_write();
	__atomic_store_n(&nr_traps, 0, __ATOMIC_RELAXED);
	end_write();
}

static int compare(const struct pb_patch *patches, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (memcmp((const void *)patches[i].addr, patches[i].old,
			   patches[i].len))
			return -EILSEQ;
	return 0;
}

static int set_traps(int text, const struct pb_patch *first, size_t nr)
{
	int error = 0;

	for (size_t i = 0; i < nr && !error; i++)
		error = pb_strict_set(text, first[i].addr, first[i].old[0]);
	return error;
}

/* First bytes in place of traps, those that are there. */
static int clear_traps(int text, const struct pb_patch *first, size_t nr,
		       int undo)
{
	int error = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct pb_patch *p = &first[i];
		int failed = pb_strict_clear(text, p->addr,
					     undo ? p->old[0] : p->new[0]);

		if (failed)
			error = failed;
	}
	return error;
}

static int write_tail(int text, const struct pb_patch *tail, size_t nr, int undo)
{
	int error = 0;

	for (size_t i = 0; i < nr && (!error || undo); i++)
		error = pb_text_write(text, tail[i].addr,
				      undo ? tail[i].new : tail[i].old,
				      undo ? tail[i].old : tail[i].new,
				      tail[i].len);
	return error;
}

int pb_strict_change(int text, const struct pb_patch *tail, size_t nr_tail,
		     const struct pb_patch *first, size_t nr_first)
{
	int error = compare(tail, nr_tail);

	if (!error)
		error = compare(first, nr_first);
	if (!error)
		error = pb_strict_begin(nr_first);
	if (error)
		return error;
	if (text < 0)
		return text;
	error = set_traps(text, first, nr_first);
	if (!error)
		error = pb_sync_core();
	if (!error)
		error = write_tail(text, tail, nr_tail, 0);
	if (!error && nr_tail)
		error = pb_sync_core();
	if (!error) {
		error = clear_traps(text, first, nr_first, 0);
		pb_sync_core();
	} else {
		write_tail(text, tail, nr_tail, 1);
		pb_sync_core();
		clear_traps(text, first, nr_first, 1);
	}
	pb_strict_end();
	return error;
}
