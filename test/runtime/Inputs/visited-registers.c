/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * AArch64: a thread with a different value in each register checks the values in a
 * loop: all general registers except the stack pointer, vectors, flags and the
 * floating-point flags. The thread makes no system call until SIGALRM ends it. With an
 * argument it also uses SVE's registers, predicates and FFR.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

static volatile uint32_t over;

static void end(int signal)
{
	over = 1;
}

/*
 * Returns the number of rounds when @over has become nonzero, or -1 minus the number of
 * the first register with a wrong value. x0 is the address of @over; x1 counts rounds.
 * x2 to x30 contain 0x1000 plus their number, and both halves of each vector contain
 * 0x2000 plus its number.
 */
long look(volatile uint32_t *over);
__asm__(
	".text\n"
	".type look, %function\n"
	"look:\n"
	".cfi_startproc\n"
	"stp x29, x30, [sp, #-176]!\n"
	".cfi_def_cfa_offset 176\n"
	".cfi_offset x29, -176\n"
	".cfi_offset x30, -168\n"
	"stp x19, x20, [sp, #16]\n"
	".cfi_offset x19, -160\n"
	".cfi_offset x20, -152\n"
	"stp x21, x22, [sp, #32]\n"
	".cfi_offset x21, -144\n"
	".cfi_offset x22, -136\n"
	"stp x23, x24, [sp, #48]\n"
	".cfi_offset x23, -128\n"
	".cfi_offset x24, -120\n"
	"stp x25, x26, [sp, #64]\n"
	".cfi_offset x25, -112\n"
	".cfi_offset x26, -104\n"
	"stp x27, x28, [sp, #80]\n"
	".cfi_offset x27, -96\n"
	".cfi_offset x28, -88\n"
	"stp d8, d9, [sp, #96]\n"
	"stp d10, d11, [sp, #112]\n"
	"stp d12, d13, [sp, #128]\n"
	"stp d14, d15, [sp, #144]\n"
	"mov x1, #0\n"
	".irp n,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n"
	"mov x\\n, #0x1000 + \\n\n"
	".endr\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
	"mov x2, #0x2000 + \\n\n"
	"dup v\\n\\().2d, x2\n"
	".endr\n"
	"mov x2, #0x80\n"		/* FPSR: input denormal */
	"msr fpsr, x2\n"
	"mov x2, #0x400000\n"		/* FPCR: towards plus infinity */
	"msr fpcr, x2\n"
	"mov x2, #0x1002\n"
	"movz x29, #0xa000, lsl #16\n"	/* N and C only */
	"msr nzcv, x29\n"
	"mov x29, #0x1000 + 29\n"
	/* Only x1 and scratch registers change: x2, and for a while x29. */
"again:\n"
	"add x1, x1, #1\n"
	"mrs x2, nzcv\n"
	"movz x29, #0xa000, lsl #16\n"
	"eor x2, x2, x29\n"
	"mov x29, #0x1000 + 29\n"
	"cbnz x2, bad_flags\n"
	"mrs x2, fpsr\n"
	"eor x2, x2, #0x80\n"
	"cbnz x2, bad_fpsr\n"
	"mrs x2, fpcr\n"
	"eor x2, x2, #0x400000\n"
	"cbnz x2, bad_fpcr\n"
	".irp n,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n"
	"mov x2, #0x1000 + \\n\n"
	"eor x2, x2, x\\n\n"
	"cbnz x2, bad_\\n\n"
	".endr\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
	"mov x2, v\\n\\().d[1]\n"
	"eor x2, x2, #0x2000\n"
	"sub x2, x2, #\\n\n"
	"cbnz x2, bad_vector\n"
	"mov x2, v\\n\\().d[0]\n"
	"eor x2, x2, #0x2000\n"
	"sub x2, x2, #\\n\n"
	"cbnz x2, bad_vector\n"
	".endr\n"
	"ldr w2, [x0]\n"
	"cbz w2, again\n"
	"mov x0, x1\n"
	"b out\n"
	".irp n,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n"
"bad_\\n:\n"
	"mov x0, #-1 - \\n\n"
	"b out\n"
	".endr\n"
"bad_flags:\n"
	"mov x0, #-101\n"
	"b out\n"
"bad_fpsr:\n"
	"mov x0, #-102\n"
	"b out\n"
"bad_fpcr:\n"
	"mov x0, #-103\n"
	"b out\n"
"bad_vector:\n"
	"mov x0, #-104\n"
"out:\n"
	"msr fpcr, xzr\n"
	"ldp d8, d9, [sp, #96]\n"
	"ldp d10, d11, [sp, #112]\n"
	"ldp d12, d13, [sp, #128]\n"
	"ldp d14, d15, [sp, #144]\n"
	"ldp x27, x28, [sp, #80]\n"
	"ldp x25, x26, [sp, #64]\n"
	"ldp x23, x24, [sp, #48]\n"
	"ldp x21, x22, [sp, #32]\n"
	"ldp x19, x20, [sp, #16]\n"
	"ldp x29, x30, [sp], #176\n"
	"ret\n"
	".cfi_endproc\n"
	".size look, . - look\n");

/* The same check for the upper parts of two vectors, two predicates and FFR. */
long look_sve(volatile uint32_t *over);
__asm__(
	".text\n"
	".arch_extension sve\n"
	".type look_sve, %function\n"
	"look_sve:\n"
	".cfi_startproc\n"
	"mov x1, #0\n"
	"index z3.d, #1, #3\n"
	"index z31.d, #7, #5\n"
	"ptrue p0.d\n"
	"ptrue p15.d, vl1\n"
	"setffr\n"
"again_sve:\n"
	"add x1, x1, #1\n"
	/* A lost value reads as zero, so other predicates are used for the check. */
	"ptrue p3.b\n"
	"cntp x2, p3, p0.d\n"
	"cntd x9\n"
	"cmp x2, x9\n"
	"b.ne bad_sve\n"
	"cntp x2, p3, p15.d\n"
	"cmp x2, #1\n"
	"b.ne bad_sve\n"
	"rdffr p4.b\n"
	"cntp x2, p3, p4.b\n"
	"cntb x9\n"
	"cmp x2, x9\n"
	"b.ne bad_sve\n"
	"index z1.d, #1, #3\n"
	"cmpne p2.d, p3/z, z1.d, z3.d\n"
	"b.ne bad_sve\n"
	"index z1.d, #7, #5\n"
	"cmpne p2.d, p3/z, z1.d, z31.d\n"
	"b.ne bad_sve\n"
	"ldr w2, [x0]\n"
	"cbz w2, again_sve\n"
	"mov x0, x1\n"
	"ret\n"
"bad_sve:\n"
	"mov x0, #-105\n"
	"ret\n"
	".cfi_endproc\n"
	".size look_sve, . - look_sve\n");

__attribute__((noinline)) long counted(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = end };

	sigaction(SIGALRM, &action, NULL);
	puts("ready");
	fflush(stdout);
	counted(1);
	/* Do not call by pointer, because these functions have no type hash. */
	long rounds = argc < 2 ? look(&over) : look_sve(&over);

	if (rounds < 0) {
		printf("register %ld has another value\n", -1 - rounds);
		return 1;
	}
	printf("done: all registers as they were\n");
	return rounds > 0 ? 0 : 1;
}
