/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Strict mode: threads that meet its traps go on as if the site were disarmed,
 * other traps go to whoever handled them before, and without the handler nothing
 * is changed.
 */
// REQUIRES: host-x86_64
// RUN: %build -fcf-protection=none %s -o %t %link
// RUN: %t handlers | FileCheck %s --check-prefix=HANDLERS
// RUN: %python %S/Inputs/expect-status.py -5 %t default
// RUN: %python %S/Inputs/expect-status.py -5 %t ignored
// RUN: %t storm | FileCheck %s --check-prefix=STORM
// HANDLERS: {{^}}done{{$}}
// STORM: {{^}}trapped, {{[1-9][0-9]*}} calls by others{{$}}

#include "Inputs/check.h"

#include <patchbay/patchbay.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

OPAQUE int plum(int a) { return a + 1; }
OPAQUE int plum_tree(int a) { return a + 2; }

static _Atomic long calls, traps, sent, illegal;

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
}

static struct patchbay_ops *make_ops(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	return ops;
}

static uint64_t strict_traps(void)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(patchbay_get_stats(&stats), 0);
	CHECK_EQ(stats.modes, PATCHBAY_MODE_STRICT);
	return stats.strict_traps;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	sigset_t now;

	(void)context;
	CHECK_EQ(signal, SIGTRAP);
	/* What the handler before was promised. */
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	CHECK(sigismember(&now, SIGUSR1));
	if (info->si_code > 0)
		traps++;
	else
		sent++;
}

static void on_illegal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	illegal++;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static void on_other(int signal)
{
	(void)signal;
}

/* As a debugger would. */
static void poke(void *at, unsigned char byte)
{
	FILE *mem = fopen("/proc/self/mem", "r+");

	CHECK(mem && !fseek(mem, (long)at, SEEK_SET));
	CHECK_EQ(fwrite(&byte, 1, 1, mem), 1);
	CHECK_EQ(fclose(mem), 0);
}

/* Arm one and disarm another at once. */
static void exchange(struct patchbay_ops *ops, const char *arm,
		     const char *disarm)
{
	const struct patchbay_filter one = { .size = sizeof(one), .glob = arm },
				     other = { .size = sizeof(other),
					       .glob = disarm };
	struct patchbay_batch *batch;

	CHECK_EQ(patchbay_batch_create(&batch), 0);
	CHECK_EQ(patchbay_batch_arm(batch, ops, &one, 0), 0);
	CHECK_EQ(patchbay_batch_disarm(batch, ops, &other), 0);
	CHECK_EQ(patchbay_batch_commit(batch), 2);
	patchbay_batch_destroy(batch);
}

static void handlers(void)
{
	struct sigaction action = { .sa_sigaction = on_trap,
				    .sa_flags = SA_SIGINFO };
	struct sigaction other = { .sa_handler = on_other }, ours;
	struct patchbay_ops *ops = make_ops();
	unsigned char site[5];

	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(SIGTRAP, &action, NULL);
	action.sa_sigaction = on_illegal;
	sigaction(SIGILL, &action, NULL);
	CHECK_EQ(patchbay_set_mode(1u << 31), -EINVAL);
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_STRICT), 0);
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_STRICT), 0);

	__asm__ volatile("int3");
	CHECK_EQ(traps, 1);
	/* The other form, whose second byte is not a trap. */
	__asm__ volatile(".byte 0xcd, 3");
	CHECK_EQ(traps, 2);
	raise(SIGTRAP);
	CHECK_EQ(sent, 1);
	/* What a failed check of kCFI executes. */
	__asm__ volatile("ud2");
	CHECK_EQ(illegal, 1);

	CHECK_EQ(patchbay_arm(ops, "plum*", 0), 2);
	CHECK_EQ(plum(1) + plum_tree(1), 5);
	CHECK_EQ(calls, 2);
	CHECK_EQ(patchbay_disarm(ops, "plum"), 1);
	CHECK_EQ(plum(1) + plum_tree(1), 5);
	CHECK_EQ(calls, 3);

	exchange(ops, "plum", "plum_tree");
	CHECK_EQ(plum(1) + plum_tree(1), 5);
	CHECK_EQ(calls, 4);
	CHECK_EQ(*(volatile unsigned char *)plum_tree, 0xa9);
	CHECK_EQ(patchbay_disarm(ops, "*"), 1);

	/* A site whose bytes are another's is left so, and all others. */
	memcpy(site, (void *)plum, sizeof(site));
	poke((char *)plum_tree, 0xcc);
	CHECK_EQ(patchbay_arm(ops, "plum*", 0), -EILSEQ);
	CHECK(!memcmp(site, (void *)plum, sizeof(site)));
	CHECK_EQ(*(volatile unsigned char *)plum_tree, 0xcc);
	poke((char *)plum_tree, site[0]);

	/* Nobody would answer a trap. */
	sigaction(SIGTRAP, &other, &ours);
	CHECK_EQ(patchbay_arm(ops, "plum", 0), -EBUSY);
	CHECK(!memcmp(site, (void *)plum, sizeof(site)));
	sigaction(SIGTRAP, &ours, NULL);
	CHECK_EQ(patchbay_arm(ops, "plum", 0), 1);
	sigaction(SIGTRAP, &other, NULL);
	CHECK_EQ(patchbay_disarm(ops, "plum"), 1);
	plum(1);
	CHECK_EQ(calls, 4);
	sigaction(SIGTRAP, &ours, NULL);
	CHECK_EQ(patchbay_arm(ops, "plum", 0), 1);
	plum(1);
	CHECK_EQ(calls, 5);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	CHECK(!memcmp(site, (void *)plum, 1));
	CHECK_EQ(strict_traps(), 0);
	puts("done");
}

/* Nobody handled traps before: they end the process, also if it ignores them. */
static void unhandled(int ignore)
{
	if (ignore)
		signal(SIGTRAP, SIG_IGN);
	CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_STRICT), 0);
	if (ignore)
		raise(SIGTRAP);
	__asm__ volatile("int3");
}

static atomic_int stop;

static void *caller(void *made)
{
	while (!stop) {
		CHECK_EQ(plum(1), 2);
		++*(_Atomic long *)made;
	}
	return NULL;
}

/* Signal handlers that call the function, too, on a stack of their own. */
static void on_timer(int signal)
{
	(void)signal;
	CHECK_EQ(plum(3), 4);
}

static void *timed(void *made)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	CHECK_EQ(sigaltstack(&alternate, NULL), 0);
	return caller(made);
}

static void storm(void)
{
	struct patchbay_ops *ops = make_ops();
	struct sigaction action = { .sa_handler = on_timer,
				    .sa_flags = SA_ONSTACK };
	static _Atomic long made[2];
	pthread_t threads[2];
	uint64_t before = strict_traps() + 20;

	sigaction(SIGUSR2, &action, NULL);
	pthread_create(&threads[0], NULL, caller, &made[0]);
	pthread_create(&threads[1], NULL, timed, &made[1]);
	for (int i = 0; i < 1000000 && strict_traps() < before; i++) {
		CHECK_EQ(patchbay_arm(ops, "plum*", 0), 2);
		if (i % 8 == 0)
			pthread_kill(threads[1], SIGUSR2);
		CHECK_EQ(patchbay_disarm(ops, "plum*"), 2);
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK(strict_traps() >= before);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	printf("trapped, %ld calls by others\n", (long)(made[0] + made[1]));
}

int main(int argc, char **argv)
{
	CHECK_EQ(argc, 2);
	if (!strcmp(argv[1], "handlers"))
		handlers();
	if (!strcmp(argv[1], "storm")) {
		CHECK_EQ(patchbay_set_mode(PATCHBAY_MODE_STRICT), 0);
		storm();
	}
	if (!strcmp(argv[1], "default") || !strcmp(argv[1], "ignored"))
		unhandled(!strcmp(argv[1], "ignored"));
	return 0;
}
