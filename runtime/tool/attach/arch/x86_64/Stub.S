/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The stub (Stub.h). This command does not execute the stub, but copies the bytes from
 * pb_stub to pb_stub_end, and fills in the words after pb_stub_words.
 */
#include "../../StubArea.h"

#include <asm/errno.h>
#include <asm/unistd_64.h>

/* <linux/prctl.h> has C declarations. */
#define PR_GET_TSC 25
#define PR_TSC_SIGSEGV 2

	.section .rodata, "a", @progbits
	.globl	pb_stub, pb_stub_code, pb_stub_words, pb_stub_end
	.hidden	pb_stub, pb_stub_code, pb_stub_words, pb_stub_end

	.balign	16
pb_stub:
	.ascii	"Patchbay's stub\0"	/* identifies leftovers */

/* Runs in the stopped thread, at first with its own stack pointer. */
pb_stub_code:
	movl	$__NR_mmap, %eax
	movq	area(%rip), %rdi
	movl	$AREA_SIZE, %esi
	movl	$3, %edx		/* PROT_READ | PROT_WRITE */
	movl	$0x104022, %r10d	/* MAP_PRIVATE, ANONYMOUS, NORESERVE, and
					   MAP_FIXED_NOREPLACE */
	movq	$-1, %r8
	xorl	%r9d, %r9d
	syscall
	movq	%rax, %rbx
	cmpq	area(%rip), %rax
	jne	no_area

	/* A child that the program forks must not get the area. */
	movl	$__NR_madvise, %eax
	movq	%rbx, %rdi
	movl	$AREA_SIZE, %esi
	movl	$10, %edx		/* MADV_DONTFORK */
	syscall

	movl	$__NR_rt_sigprocmask, %eax
	movl	$2, %edi		/* SIG_SETMASK */
	leaq	signals(%rip), %rsi
	leaq	AREA_SIGNALS(%rbx), %rdx
	movl	$8, %r10d
	syscall
	movq	mark(%rip), %rax
	movq	%rax, AREA_BEGUN(%rbx)
	leaq	AREA_STACK_TOP(%rbx), %rsp
	cld

	movl	$__NR_prctl, %eax
	movl	$PR_GET_TSC, %edi
	leaq	AREA_COUNTER(%rbx), %rsi
	syscall

	/*
	 * Save all enabled components of the processor's state. XSAVE requires
	 * a zeroed header, which the new area has.
	 */
	movl	$-1, %eax
	movl	$-1, %edx
	xsave64	AREA_VECTORS(%rbx)
	cmpl	$PR_TSC_SIGSEGV, AREA_COUNTER(%rbx)
	je	no_counter
	call	*errno_location(%rip)
	movq	%rax, %r12
	movl	(%rax), %r13d
	leaq	AREA_THREAD(%rbx), %rdi
	xorl	%esi, %esi
	leaq	new_thread(%rip), %rdx
	movq	%rbx, %rcx
	call	*create_thread(%rip)
	movl	%r13d, (%r12)
created:
	movl	%eax, AREA_CREATED(%rbx)
	/* If no thread was created, unmap the whole area. */
	xorl	%r12d, %r12d
	movl	$AREA_SIZE, %ecx
	testl	%eax, %eax
	cmovnel	%ecx, %r12d
	movl	$-1, %eax
	movl	$-1, %edx
	xrstor64 AREA_VECTORS(%rbx)

	cmpl	$PR_TSC_SIGSEGV, AREA_COUNTER(%rbx)
	je	1f
	rdtsc
	movl	%eax, AREA_TICKS(%rbx)
	movl	%edx, AREA_TICKS + 4(%rbx)
1:
	pushq	flags(%rip)
	popfq
	/* The following instructions and system calls keep the flags. */
	movq	at_rsp(%rip), %rsp
	movq	mark(%rip), %rax
	movq	%rax, AREA_DONE(%rbx)
	movl	$__NR_rt_sigprocmask, %eax
	movl	$2, %edi
	leaq	AREA_SIGNALS(%rbx), %rsi
	movl	$0, %edx
	movl	$8, %r10d
	syscall
	/* The kernel refuses length 0, which changes nothing. */
	movl	$__NR_munmap, %eax
	movq	%rbx, %rdi
	movq	%r12, %rsi
	syscall
	jmp	restore

no_counter:
	movl	$200, %r12d
1:	movl	AREA_GIVEN_UP(%rbx), %ecx
	testl	%ecx, %ecx
	jne	2f
	movl	$__NR_nanosleep, %eax
	leaq	pause(%rip), %rdi
	xorl	%esi, %esi
	syscall
	decl	%r12d
	jne	1b
2:	movl	$EPERM, %eax
	jmp	created

no_area:
	leaq	-256(%rsp), %rsp	/* beyond the red zone, which the
					   program may use */
	pushq	flags(%rip)
	popfq
	movq	at_rsp(%rip), %rsp
restore:
	movq	at_rax(%rip), %rax
	movq	at_rbx(%rip), %rbx
	movq	at_rcx(%rip), %rcx
	movq	at_rdx(%rip), %rdx
	movq	at_rsi(%rip), %rsi
	movq	at_rdi(%rip), %rdi
	movq	at_rbp(%rip), %rbp
	movq	at_r8(%rip), %r8
	movq	at_r9(%rip), %r9
	movq	at_r10(%rip), %r10
	movq	at_r11(%rip), %r11
	movq	at_r12(%rip), %r12
	movq	at_r13(%rip), %r13
	movq	at_r14(%rip), %r14
	movq	at_r15(%rip), %r15
	jmp	*at_rip(%rip)

/*
 * void *new_thread(void *area). No thread of the program waits for the new thread. The new
 * thread blocks all of the program's signals, like the thread that created it.
 */
	.balign	16
new_thread:
	endbr64
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	movq	%rdi, %rbx
	movl	$__NR_gettid, %eax
	syscall
	movl	%eax, AREA_NEW_TID(%rbx)
	call	*self(%rip)
	movq	%rax, %rdi
	call	*detach(%rip)

	leaq	AREA_GO(%rbx), %rdi
	call	await
	testl	%eax, %eax
	jne	load
	/* If the command is still running, its message may just have arrived. */
	movl	$2, %ecx
	lock cmpxchgl %ecx, AREA_GO(%rbx)
	je	leave

load:
	cmpl	$0, AREA_NR_FILES(%rbx)
	je	libraries
	/*
	 * Give the thread its own, empty descriptor table, so that its
	 * descriptors do not appear among the program's. The kernel closes
	 * the thread's descriptors when the thread ends.
	 */
	movl	$__NR_close_range, %eax
	xorl	%edi, %edi
	movl	$-1, %esi
	movl	$2, %edx		/* CLOSE_RANGE_UNSHARE */
	syscall
	movl	%eax, %r13d
	xorl	%r12d, %r12d
next_file:
	movl	%r13d, %eax		/* -errno, if close_range() failed */
	testl	%r13d, %r13d
	jne	no_file
	movl	$__NR_memfd_create, %eax
	leaq	file_name(%rip), %rdi
	movl	$1, %esi		/* MFD_CLOEXEC */
	syscall
no_file:
	movl	%eax, AREA_FILES(%rbx,%r12,4)
	incl	%r12d
	cmpl	AREA_NR_FILES(%rbx), %r12d
	jb	next_file
	movl	$1, AREA_FILES_MADE(%rbx)
	leaq	AREA_FILLED(%rbx), %rdi
	call	await
	testl	%eax, %eax
	je	leave

libraries:
	leaq	AREA_PATHS(%rbx), %r12
	xorl	%r13d, %r13d
next_path:
	cmpb	$0, (%r12)
	je	loaded
	movq	%r12, %rdi
	movl	$0x102, %esi		/* RTLD_NOW | RTLD_GLOBAL */
	call	*open(%rip)
	testq	%rax, %rax
	je	refused
	movq	%rax, %r13
skip_path:
	incq	%r12
	cmpb	$0, -1(%r12)
	jne	skip_path
	jmp	next_path

loaded:
	cmpl	$0, AREA_GIVEN_UP(%rbx)
	jne	close_it
	movq	%r13, %rdi
	leaq	AREA_ENTRY(%rbx), %rsi
	call	*symbol(%rip)
	testq	%rax, %rax
	je	refused
	leaq	AREA_OPTIONS(%rbx), %rdi
	leaq	AREA_TEXT(%rbx), %rsi
	movl	$AREA_TEXT_SIZE, %edx
	call	*%rax
	movl	%eax, AREA_RESULT(%rbx)
	movl	$AREA_IS_LOADED, %r12d
	jmp	say

close_it:
	movq	%r13, %rdi
	testq	%r13, %r13		/* no library was opened */
	je	closed
	call	*close(%rip)
closed:
	movl	$AREA_IS_CLOSED, %r12d
	jmp	say

refused:
	movl	$AREA_IS_REFUSED, %r12d
	call	*error(%rip)
	testq	%rax, %rax
	je	say
	xorl	%ecx, %ecx
next_character:
	movb	(%rax,%rcx), %dl
	movb	%dl, AREA_TEXT(%rbx,%rcx)
	incl	%ecx
	testb	%dl, %dl
	je	say
	cmpl	$AREA_TEXT_SIZE - 1, %ecx
	jb	next_character

say:
	movl	%r12d, AREA_STATE(%rbx)
	leaq	AREA_END(%rbx), %rdi
	call	await
	testl	%eax, %eax
	je	leave
	movl	$__NR_munmap, %eax
	movq	%rbx, %rdi
	movl	$AREA_SIZE, %esi
	syscall
leave:
	popq	%r13
	popq	%r12
	popq	%rbx
	xorl	%eax, %eax
	ret

/*
 * int await(int *word): waits until the word is not 0, and returns the word. Returns 0 if
 * this command has not written AREA_PAUSES for ten seconds: after 200 pauses of 0.1 ms and
 * 1000 pauses of 10 ms. %rbx is the area.
 */
await:
	pushq	%r12
	movq	%rdi, %r12
	movl	$1200, AREA_PAUSES(%rbx)
try:
	movl	(%r12), %eax
	testl	%eax, %eax
	jne	awaited
	movl	$__NR_nanosleep, %eax
	leaq	pause(%rip), %rdi
	leaq	long_pause(%rip), %rsi
	cmpl	$1000, AREA_PAUSES(%rbx)
	cmovbeq	%rsi, %rdi
	xorl	%esi, %esi
	syscall
	xorl	%eax, %eax
	decl	AREA_PAUSES(%rbx)
	jne	try
awaited:
	popq	%r12
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
create_thread:	.quad 0
self:	.quad	0
detach:	.quad	0
errno_location:	.quad 0
open:	.quad	0
symbol:	.quad	0
error:	.quad	0
close:	.quad	0
at_rax:	.quad	0
at_rbx:	.quad	0
at_rcx:	.quad	0
at_rdx:	.quad	0
at_rsi:	.quad	0
at_rdi:	.quad	0
at_rbp:	.quad	0
at_rsp:	.quad	0
at_r8:	.quad	0
at_r9:	.quad	0
at_r10:	.quad	0
at_r11:	.quad	0
at_r12:	.quad	0
at_r13:	.quad	0
at_r14:	.quad	0
at_r15:	.quad	0
at_rip:	.quad	0
flags:	.quad	0
pb_stub_end:

	.section .note.GNU-stack, "", @progbits
