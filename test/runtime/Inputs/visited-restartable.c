/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Executes restartable sequences (rseq(2)) most of the time. The kernel restarts a
 * sequence that it interrupts. If a debugger makes the thread continue elsewhere, the
 * kernel clears the registration of the sequence. Each sequence ends with a check that
 * it is still registered.
 */
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/rseq.h>
#include <unistd.h>

__attribute__((noinline)) long counted(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

enum result { DONE, BEGUN_AGAIN, TORN };

/*
 * The C library owns the rseq area. The signature before the abort handler is the one
 * that the library has registered.
 */
static enum result run(struct rseq *area)
{
	long rounds = 20000, left, known;

	__asm__ volatile goto(
		"	.pushsection __rseq_cs, \"aw\"\n"
		"	.balign 32\n"
		"1:	.long 0, 0\n"
		"	.quad 2f, 4f - 2f, 5f\n"
		"	.popsection\n"
		"	leaq 1b(%%rip), %[known]\n"
		"	movq %[known], %c[section](%[area])\n"
		"2:	movq %[rounds], %[left]\n"
		"3:	decq %[left]\n"
		"	jnz 3b\n"
		"	subq %c[section](%[area]), %[known]\n"
		"4:	movq $0, %c[section](%[area])\n"
		"	testq %[known], %[known]\n"
		"	jnz %l[torn]\n"
		"	jmp %l[done]\n"
		"	.byte 0x0f, 0xb9, 0x3d\n"
		"	.long %c[signature]\n"
		"5:	jmp %l[again]\n"
		: [left] "=&r"(left), [known] "=&r"(known)
		: [area] "r"(area), [rounds] "r"(rounds),
		  [section] "i"(offsetof(struct rseq, rseq_cs)),
		  [signature] "i"(RSEQ_SIG)
		: "memory", "cc"
		: done, torn, again);
done:
	return DONE;
torn:
	return TORN;
again:
	return BEGUN_AGAIN;
}

int main(void)
{
	struct rseq *area = (struct rseq *)((char *)__builtin_thread_pointer() +
					    __rseq_offset);
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	long nr[3] = { 0 };

	if (!__rseq_size) {
		puts("no restartable sequences");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	for (long i = 0; i % 1000 || !poll(&input, 1, 0); i++)
		nr[run(area)] += counted(i) == i + 1;
	fprintf(stderr, "%ld torn\n", nr[TORN]);
	return nr[TORN] || !nr[DONE];
}
