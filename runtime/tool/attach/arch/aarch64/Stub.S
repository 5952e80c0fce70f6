/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The stub (Stub.h). This command does not execute the stub, but copies the bytes from
 * pb_stub to pb_stub_end, and fills in the words after pb_stub_words.
 *
 * The command may run on another processor. So the stub publishes its data by STLR, and
 * reads the command's data by LDAR.
 */
#include "../../StubArea.h"

#include <asm/unistd.h>

	.section .rodata, "a", @progbits
	.globl	pb_stub, pb_stub_code, pb_stub_words, pb_stub_end
	.hidden	pb_stub, pb_stub_code, pb_stub_words, pb_stub_end

	.arch_extension sve
	.balign	16
pb_stub:
	.ascii	"Patchbay's stub\0"	/* identifies leftovers */

/* Runs in the stopped thread, at first with its own stack pointer. */
pb_stub_code:
	/*
	 * The first system call changes SVE registers, and the area does not
	 * exist yet. So save SVE registers that are in use on the thread's
	 * own stack.
	 */
	ldr	x9, sve_size
	cbz	x9, no_sve
	mov	x10, sp
	sub	x10, x10, x9
	mov	sp, x10
	addvl	x11, x10, #31
	addvl	x11, x11, #1
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	str	p\n, [x11, #\n, mul vl]
	.endr
	rdffr	p0.b
	str	p0, [x11, #16, mul vl]
	ptrue	p0.d
	st4d	{z0.d-z3.d}, p0, [x10]
	st4d	{z4.d-z7.d}, p0, [x10, #4, mul vl]
	st4d	{z8.d-z11.d}, p0, [x10, #8, mul vl]
	st4d	{z12.d-z15.d}, p0, [x10, #12, mul vl]
	st4d	{z16.d-z19.d}, p0, [x10, #16, mul vl]
	st4d	{z20.d-z23.d}, p0, [x10, #20, mul vl]
	st4d	{z24.d-z27.d}, p0, [x10, #24, mul vl]
	st4d	{z28.d-z31.d}, p0, [x10, #28, mul vl]
no_sve:
	mov	x8, #__NR_mmap
	ldr	x0, area
	mov	x1, #AREA_SIZE
	mov	x2, #3			/* PROT_READ | PROT_WRITE */
	mov	w3, #0x4022		/* MAP_PRIVATE, ANONYMOUS, NORESERVE, and */
	movk	w3, #0x10, lsl #16	/* MAP_FIXED_NOREPLACE */
	mov	x4, #-1
	mov	x5, #0
	svc	#0
	ldr	x19, area
	cmp	x0, x19
	b.ne	no_area

	/* A child that the program forks must not get the area. */
	mov	x8, #__NR_madvise
	mov	x1, #AREA_SIZE
	mov	x2, #10			/* MADV_DONTFORK */
	svc	#0

	mov	x8, #__NR_rt_sigprocmask
	mov	x0, #2			/* SIG_SETMASK */
	adr	x1, signals
	add	x2, x19, #AREA_SIGNALS
	mov	x3, #8
	svc	#0
	ldr	x9, mark
	str	x9, [x19, #AREA_BEGUN]
	add	x9, x19, #AREA_STACK_TOP
	mov	sp, x9

	/* The lower parts of vectors. */
	add	x20, x19, #AREA_VECTORS
	mov	x9, x20
	st1	{v0.2d-v3.2d}, [x9], #64
	st1	{v4.2d-v7.2d}, [x9], #64
	st1	{v8.2d-v11.2d}, [x9], #64
	st1	{v12.2d-v15.2d}, [x9], #64
	st1	{v16.2d-v19.2d}, [x9], #64
	st1	{v20.2d-v23.2d}, [x9], #64
	st1	{v24.2d-v27.2d}, [x9], #64
	st1	{v28.2d-v31.2d}, [x9], #64
	mrs	x21, fpsr
	mrs	x22, fpcr
	ldr	x9, errno_location
	blr	x9
	mov	x23, x0
	ldr	w24, [x0]
	add	x0, x19, #AREA_THREAD
	mov	x1, #0
	adr	x2, new_thread
	mov	x3, x19
	ldr	x9, create_thread
	blr	x9
	str	w24, [x23]
	str	w0, [x19, #AREA_CREATED]
	/* If no thread was created, unmap the whole area. */
	mov	x24, #AREA_SIZE
	cmp	w0, #0
	csel	x24, x24, xzr, ne
	ld1	{v0.2d-v3.2d}, [x20], #64
	ld1	{v4.2d-v7.2d}, [x20], #64
	ld1	{v8.2d-v11.2d}, [x20], #64
	ld1	{v12.2d-v15.2d}, [x20], #64
	ld1	{v16.2d-v19.2d}, [x20], #64
	ld1	{v20.2d-v23.2d}, [x20], #64
	ld1	{v24.2d-v27.2d}, [x20], #64
	ld1	{v28.2d-v31.2d}, [x20], #64
	msr	fpsr, x21
	msr	fpcr, x22

	ldr	x9, flags
	msr	nzcv, x9
	/* The following instructions and system calls keep the flags. */
	ldr	x9, at_sp
	ldr	x10, sve_size
	sub	x9, x9, x10
	mov	sp, x9
	mrs	x9, cntvct_el0
	str	x9, [x19, #AREA_TICKS]
	ldr	x9, mark
	add	x10, x19, #AREA_DONE
	stlr	x9, [x10]
	mov	x8, #__NR_rt_sigprocmask
	mov	x0, #2
	add	x1, x19, #AREA_SIGNALS
	mov	x2, #0
	mov	x3, #8
	svc	#0
	/* The kernel refuses length 0, which changes nothing. */
	mov	x8, #__NR_munmap
	mov	x0, x19
	mov	x1, x24
	svc	#0
	b	restore

no_area:
	ldr	x9, flags
	msr	nzcv, x9
restore:
	ldr	x9, sve_size
	cbz	x9, no_sve_back
	mov	x10, sp
	ptrue	p0.d
	ld4d	{z0.d-z3.d}, p0/z, [x10]
	ld4d	{z4.d-z7.d}, p0/z, [x10, #4, mul vl]
	ld4d	{z8.d-z11.d}, p0/z, [x10, #8, mul vl]
	ld4d	{z12.d-z15.d}, p0/z, [x10, #12, mul vl]
	ld4d	{z16.d-z19.d}, p0/z, [x10, #16, mul vl]
	ld4d	{z20.d-z23.d}, p0/z, [x10, #20, mul vl]
	ld4d	{z24.d-z27.d}, p0/z, [x10, #24, mul vl]
	ld4d	{z28.d-z31.d}, p0/z, [x10, #28, mul vl]
	addvl	x11, x10, #31
	addvl	x11, x11, #1
	ldr	p0, [x11, #16, mul vl]
	wrffr	p0.b
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	ldr	p\n, [x11, #\n, mul vl]
	.endr
	ldr	x9, at_sp
	mov	sp, x9
no_sve_back:
	adr	x16, at_x
	ldp	x0, x1, [x16]
	ldp	x2, x3, [x16, #16]
	ldp	x4, x5, [x16, #32]
	ldp	x6, x7, [x16, #48]
	ldp	x8, x9, [x16, #64]
	ldp	x10, x11, [x16, #80]
	ldp	x12, x13, [x16, #96]
	ldp	x14, x15, [x16, #112]
	ldp	x17, x18, [x16, #136]
	ldp	x19, x20, [x16, #152]
	ldp	x21, x22, [x16, #168]
	ldp	x23, x24, [x16, #184]
	ldp	x25, x26, [x16, #200]
	ldp	x27, x28, [x16, #216]
	ldp	x29, x30, [x16, #232]
	/* The way back restores x16: see wayBackCode(). */
	ldr	x16, way_back
	br	x16

/*
 * void *new_thread(void *area). No thread of the program waits for the new thread. The new
 * thread blocks all of the program's signals, like the thread that created it.
 */
	.balign	16
new_thread:
	hint	#34			/* bti c */
	stp	x29, x30, [sp, #-48]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	str	x21, [sp, #32]
	mov	x19, x0
	mov	x8, #__NR_gettid
	svc	#0
	str	w0, [x19, #AREA_NEW_TID]
	ldr	x9, self
	blr	x9
	ldr	x9, detach
	blr	x9

	add	x0, x19, #AREA_GO
	bl	await
	cbnz	w0, load
	/* If the command is still running, its message may just have arrived. */
	add	x9, x19, #AREA_GO
	mov	w11, #2
too_late:
	ldaxr	w10, [x9]
	cbnz	w10, load
	stlxr	w10, w11, [x9]
	cbnz	w10, too_late
	b	leave

load:
	ldr	w9, [x19, #AREA_NR_FILES]
	cbz	w9, libraries
	/*
	 * Give the thread its own, empty descriptor table, so that its
	 * descriptors do not appear among the program's. The kernel closes
	 * the thread's descriptors when the thread ends.
	 */
	mov	x8, #__NR_close_range
	mov	x0, #0
	mov	w1, #-1
	mov	x2, #2			/* CLOSE_RANGE_UNSHARE */
	svc	#0
	mov	w21, w0
	mov	w20, #0
next_file:
	mov	w0, w21			/* -errno, if close_range() failed */
	cbnz	w21, no_file
	mov	x8, #__NR_memfd_create
	adr	x0, file_name
	mov	x1, #1			/* MFD_CLOEXEC */
	svc	#0
no_file:
	add	x9, x19, #AREA_FILES
	str	w0, [x9, w20, uxtw #2]
	add	w20, w20, #1
	ldr	w9, [x19, #AREA_NR_FILES]
	cmp	w20, w9
	b.lo	next_file
	mov	w9, #1
	add	x10, x19, #AREA_FILES_MADE
	stlr	w9, [x10]
	add	x0, x19, #AREA_FILLED
	bl	await
	cbz	w0, leave

libraries:
	add	x20, x19, #AREA_PATHS
	mov	x21, #0
next_path:
	ldrb	w9, [x20]
	cbz	w9, loaded
	mov	x0, x20
	mov	w1, #0x102		/* RTLD_NOW | RTLD_GLOBAL */
	ldr	x9, open
	blr	x9
	cbz	x0, refused
	mov	x21, x0
skip_path:
	ldrb	w9, [x20], #1
	cbnz	w9, skip_path
	b	next_path

loaded:
	ldr	w9, [x19, #AREA_GIVEN_UP]
	cbnz	w9, close_it
	mov	x0, x21
	add	x1, x19, #AREA_ENTRY
	ldr	x9, symbol
	blr	x9
	cbz	x0, refused
	mov	x9, x0
	add	x0, x19, #AREA_OPTIONS
	add	x1, x19, #AREA_TEXT
	mov	w2, #AREA_TEXT_SIZE
	blr	x9
	str	w0, [x19, #AREA_RESULT]
	mov	w20, #AREA_IS_LOADED
	b	say

close_it:
	mov	w20, #AREA_IS_CLOSED
	mov	x0, x21
	cbz	x0, say			/* no library was opened */
	ldr	x9, close
	blr	x9
	b	say

refused:
	mov	w20, #AREA_IS_REFUSED
	ldr	x9, error
	blr	x9
	cbz	x0, say
	add	x9, x19, #AREA_TEXT
	mov	w10, #AREA_TEXT_SIZE - 1
next_character:
	ldrb	w11, [x0], #1
	strb	w11, [x9], #1
	cbz	w11, say
	ldr	w10, [x19, #AREA_PAUSES]
	sub	w10, w10, #1
	str	w10, [x19, #AREA_PAUSES]
	cbnz	w10, next_character

say:
	add	x9, x19, #AREA_STATE
	stlr	w20, [x9]
	add	x0, x19, #AREA_END
	bl	await
	cbz	w0, leave
	mov	x8, #__NR_munmap
	mov	x0, x19
	mov	x1, #AREA_SIZE
	svc	#0
leave:
	ldr	x21, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #48
	mov	x0, #0
	ret

/*
 * int await(int *word): waits until the word is not 0, and returns the word. Returns 0 if
 * this command has not written AREA_PAUSES for ten seconds: after 200 pauses of 0.1 ms and
 * 1000 pauses of 10 ms. x19 is the area. Calls no function. System calls change only x0.
 */
await:
	mov	x9, x0
	mov	w10, #1200
	str	w10, [x19, #AREA_PAUSES]
try:
	ldar	w11, [x9]
	cbnz	w11, awaited
	mov	x8, #__NR_nanosleep
	adr	x0, pause
	adr	x1, long_pause
	ldr	w10, [x19, #AREA_PAUSES]
	cmp	w10, #1000
	csel	x0, x0, x1, hi
	mov	x1, #0
	svc	#0
	ldr	w10, [x19, #AREA_PAUSES]
	sub	w10, w10, #1
	str	w10, [x19, #AREA_PAUSES]
	cbnz	w10, try
awaited:
	mov	w0, w11
	ret

file_name:
	.asciz	"patchbay"
	.balign	8
pause:	.quad	0, 100000
long_pause: .quad 0, 10000000
/* All signals except SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, and the C library's
   signals 32 to 34. */
signals:
	.quad	~(1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 10 | 1 << 30 | 7 << 31)

/* The same order as in Stub.cpp. */
pb_stub_words:
area:	.quad	0
mark:	.quad	0
thread:	.quad	0
way_back: .quad	0
sve_size: .quad	0
create_thread:	.quad 0
self:	.quad	0
detach:	.quad	0
errno_location:	.quad 0
open:	.quad	0
symbol:	.quad	0
error:	.quad	0
close:	.quad	0
at_x:	.skip	31 * 8
at_sp:	.quad	0
at_pc:	.quad	0
flags:	.quad	0
pb_stub_end:

	.section .note.GNU-stack, "", @progbits
