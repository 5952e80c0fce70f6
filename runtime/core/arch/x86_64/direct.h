/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The direct way: calls the body and the exit handlers of a simple function
 * (pb_call_is_simple()) whose tracers are all FAST. It is part of each trampoline of the
 * library, and of a module's own trampolines (own.h). Trampolines take it if the state in
 * cell->since says so (call_state.h). It has the same effect as pb_arch_call_fast() and
 * pb_arch_call_set() in exit.S, with fewer branches and stores.
 *
 * Without an entry handler the trampoline does not mark the thread at the entry: it only
 * reads cell->since, and compares it at the exit. The thread may be inside or outside, or
 * have no reader. No argument is saved.
 *
 * The stack, from the top: return address into the caller; site + 5; struct patchbay_regs;
 * then struct patchbay_call, with rbp as in exit.S.
 */
#include "frame.h"

#define WAY_TO_CALL (CALL_REGS - CALL_FRAME) /* from rbp up to the registers */

/* patchbay_clock(), in rax. Clobbers rdx. */
.macro read_clock
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
.endm

/* Return to the site with the result of the call. CF makes the site's jb jump. */
.macro return_past_body
	movq	CALL_RAX(%rbp), %rax
	movq	CALL_RDX(%rbp), %rdx
	.cfi_remember_state
	leaq	SITE_RETURN(%rbp), %rsp
	.cfi_def_cfa %rsp, 8
	movq	CALL_FRAME-SITE_RETURN(%rsp), %rbp	/* in the red zone */
	.cfi_same_value %rbp
	stc
	retq
	.cfi_restore_state
.endm

/*
 * Call the body, save its result and mark the thread as inside. Afterwards rdi is the function
 * and rdx its cell, which has the tracer that saw the entry. r8 is the offset of struct
 * pb_thread from %fs:0.
 */
.macro call_body_directly from, body, id
	movq	SITE_RETURN(%rbp), %rax
	addq	$JB_SIZE, %rax
	.cfi_remember_state
	.cfi_def_cfa_offset STACK_ARGS
	.cfi_offset %rbp, -STACK_ARGS
	args_unknown
	/* notrack: no endbr64 follows the site. */
	notrack callq *%rax
.Lbody_\body:
	.cfi_restore_state
	movq	%rax, CALL_RAX(%rbp)
	movq	%rdx, CALL_RDX(%rbp)
	/* The body may return on another thread, if a fiber was resumed there. */
	words_to %r8
	movq	%fs:(%r8), %r11
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%r11)
	jne	.Lslow_\id
	mark_inside %r11, %rcx
	movq	SITE_RETURN(%rbp), %rdi
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	movq	CELL_SINCE(%rdx), %rcx
	cmpq	%rcx, CALL_SINCE(%rbp)
	jne	.Lchanged_\id
.endm

/*
 * Call \handler of each tracer on the list in r8, which has at least one. rdi is the function.
 * Until the last call, the word at rsp has the position in the list. \id makes the labels
 * unique.
 */
.macro go_through handler, id
	movq	(%r8), %rdx
	cmpq	$0, 8(%r8)
	je	.Llast_\id
	movq	%rdi, CALL_IP(%rbp)
.Lnext_\id:
	movq	%r8, (%rsp)
	movq	CALL_PARENT(%rbp), %rsi
	leaq	CALL_REGS(%rbp), %rcx
	callq	*\handler(%rdx)
	movq	(%rsp), %r8
	movq	CALL_IP(%rbp), %rdi
	addq	$8, %r8
	movq	(%r8), %rdx
	cmpq	$0, 8(%r8)
	jne	.Lnext_\id
.Llast_\id:
	movq	CALL_PARENT(%rbp), %rsi
	leaq	CALL_REGS(%rbp), %rcx
	callq	*\handler(%rdx)
.endm

/*
 * rsp points to struct patchbay_regs, and r11 to the cell. rax is the value of cell->since for
 * which the trampoline has chosen this way. cell->since may have changed meanwhile; the code
 * below detects that. SF is the bit CELL_DIRECT_BOTH of rax. \id makes the labels unique. If
 * the direct way turns out to be wrong, the trampoline \back continues.
 */
.macro call_directly from, nr, id, back
	.cfi_remember_state
	movq	%rbp, -WAY_TO_CALL(%rsp)	/* in the red zone */
	leaq	-WAY_TO_CALL(%rsp), %rbp
	.cfi_def_cfa %rbp, WAY_TO_CALL+REGS_SIZE+8
	.cfi_offset %rbp, -(WAY_TO_CALL+REGS_SIZE+8)
	leaq	-(FRAME_SIZE+WAY_TO_CALL)(%rsp), %rsp	/* keeps the flags */
	js	.Lboth_\id
	movq	%rax, CALL_SINCE(%rbp)
	/*
	 * @since must belong to this function. But the thread is not marked: when @since was
	 * loaded, the cell may have had other functions, and this function may have got the
	 * cell back. So load the slot and @since again. Both checks would be wrong only if
	 * around this load of the slot the same functions, armed by the same batch, took the
	 * cell and left it again.
	 */
	movq	SITE_RETURN(%rbp), %rax
	cmpq	%r11, PATCHBAY_SLOT_OFFSET-\from(%rax)
	jne	.Lback_\id
	movq	CELL_SINCE(%r11), %rax
	cmpq	%rax, CALL_SINCE(%rbp)
	jne	.Lback_\id
	movq	SITE_RETURN+8(%rbp), %r11
	movq	%r11, CALL_PARENT(%rbp)
	testl	$(CELL_DIRECT_TIMED+CELL_DIRECT_SET), %eax
	jnz	.Lother_way_\id
.Lcall_\id:
	call_body_directly \from, \id, \id
.Ltell_\id:
	movq	CALL_PARENT(%rbp), %rsi
	leaq	CALL_REGS(%rbp), %rcx
	callq	*CELL_EXIT(%rdx)
.Loutside_\id:
	thread_to %r11
	mark_outside %r11
.Lreturn_\id:
	return_past_body

.Lboth_\id:	/* With an entry handler: the thread must be outside. */
	movq	SITE_RETURN+8(%rbp), %rax
	movq	%rax, CALL_PARENT(%rbp)
	movq	SITE_RETURN(%rbp), %rdi
	thread_to %r11
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%r11)
	jne	.Lback_\id
	mark_inside %r11, %rax
	/* Marked: from here on since and the handler belong to the same tracer. */
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	movq	CELL_SINCE(%rdx), %rax
	testb	$CELL_DIRECT_BOTH, %al
	jz	.Lother_\id
	movq	%rax, CALL_SINCE(%rbp)
	subq	$\from, %rdi
	movq	CALL_PARENT(%rbp), %rsi
	leaq	CALL_REGS(%rbp), %rcx
	callq	*CELL_FUNC(%rdx)
	movzbl	CALL_SINCE(%rbp), %eax
	cmpb	$CELL_DIRECT_BOTH, %al
	jne	.Lshort_\id
	thread_to %r11
	mark_outside %r11
	load_args \nr
	jmp	.Lcall_\id

	/* The handler has set a result, or the cell has no exit handler, or both. */
.Lshort_\id:
	testb	$CALL_SKIP, %al		/* CF = 0 */
	jnz	.Lskip_\id
	thread_to %r11
	mark_outside %r11
	leaq	CALL_REGS(%rbp), %rsp
	movq	(%rbp), %rbp		/* in the red zone */
	.cfi_remember_state
	.cfi_def_cfa %rsp, REGS_SIZE+8
	.cfi_same_value %rbp
	jmp	.Lleave_\back		/* the body is next */
	.cfi_restore_state
.Lskip_\id:
	testb	$CELL_DIRECT_EXIT, %al
	jnz	.Loutside_\id
	movq	SITE_RETURN(%rbp), %rdi
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	movq	CELL_SINCE(%rdx), %rcx
	xorq	CALL_SINCE(%rbp), %rcx
	cmpq	$CALL_SKIP, %rcx
	je	.Ltell_\id

	rare_exits \from, \id

	/* Continue with the general way. */
.Lother_\id:
	mark_outside %r11
.Lback_\id:
	leaq	CALL_REGS(%rbp), %rsp
	movq	(%rbp), %rbp		/* in the red zone */
	.cfi_restore_state
	jmp	.Lgeneral_\back

	/* An exception passes. rax points to it. */
.Lunwind_\id:
	.cfi_def_cfa %rbp, STACK_ARGS
	.cfi_offset %rbp, -STACK_ARGS
	args_unknown
	unwound \from, \id
	.cfi_endproc
	lsda	\id, \id, \from

	/*
	 * A tracer with a threshold: do what pb_timed_entry() and pb_timed_exit() do, without a
	 * call. This part has its own unwind information, because it calls the body at another
	 * place.
	 */
	.cfi_startproc
	personality
	.cfi_lsda 0x1b, .Llsda_timed_\id
	.cfi_def_cfa %rbp, WAY_TO_CALL+REGS_SIZE+8
	.cfi_offset %rbp, -(WAY_TO_CALL+REGS_SIZE+8)
	args_saved 7
.Lother_way_\id:
	testb	$((CELL_DIRECT_SET+CELL_DIRECT_ENTRIES)/256), %ah
	jnz	.Lset_\id
	words_to %r11
	incq	%fs:PB_THREAD_OPEN_CALLS(%r11)
	jns	.Lunknown_\id		/* the thread has no reader yet */
	read_clock
	movq	%rax, CALL_WORD(%rbp)
	.if \nr >= 4
	movq	CALL_REGS+REGS_RDX(%rbp), %rdx
	.endif
	call_body_directly \from, timed_\id, \id
	movq	%rdx, %r9
	movq	CELL_OPS(%rdx), %r10
	movq	OPS_THRESHOLD(%r10), %rcx
	read_clock
	subq	CALL_WORD(%rbp), %rax
	cmpq	(%rcx), %rax
	jae	.Llong_\id
.Ldrop_\id:
	decq	%fs:PB_THREAD_OPEN_CALLS(%r8)
	mark_outside %r11
	return_past_body
.Lnegative_\id:
	xorl	%eax, %eax
	cmpq	(%rcx), %rax
	jb	.Ldrop_\id
.Llong_\id:
	testq	%rax, %rax
	js	.Lnegative_\id
	movq	%rax, CALL_DURATION(%rbp)
	movq	%r9, %rdx
	movq	CALL_PARENT(%rbp), %rsi
	leaq	CALL_REGS(%rbp), %rcx
	callq	*OPS_EXIT(%r10)
	/* The call ends after the handler: open_calls.h has the reason. */
	words_to %r8
	movq	%fs:(%r8), %r11
	decq	%fs:PB_THREAD_OPEN_CALLS(%r8)
	mark_outside %r11
	return_past_body
.Lunknown_\id:
	decq	%fs:PB_THREAD_OPEN_CALLS(%r11)
	jmp	.Lback_\id
	.cfi_endproc
	lsda	timed_\id, \id, \from

	/*
	 * Several tracers: call the handlers on the lists of their set. This part has its own
	 * unwind information, too.
	 */
	.cfi_startproc
	personality
	.cfi_lsda 0x1b, .Llsda_set_\id
	.cfi_def_cfa %rbp, WAY_TO_CALL+REGS_SIZE+8
	.cfi_offset %rbp, -(WAY_TO_CALL+REGS_SIZE+8)
	args_saved 7
.Lset_\id:
	leaq	-DIRECT_ROOM(%rsp), %rsp	/* keeps the flags */
	js	.Lset_entries_\id	/* CELL_DIRECT_ENTRIES */
.Lset_call_\id:
	call_body_directly \from, set_\id, \id
	/*
	 * The cell's @since is still that of the entry. Call all exits of its set, unless the
	 * cell has got another set, with another @since.
	 */
	movq	CELL_SET(%rdx), %r8
	cmpq	%rcx, SET_SINCE(%r8)
	jne	.Lchanged_\id
.Lset_tell_\id:
	movq	SET_EXITS(%r8), %r8
	go_through CELL_EXIT, exit_\id
	thread_to %r11
	mark_outside %r11
	return_past_body

.Lset_entries_\id:
	thread_to %r11
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%r11)
	jne	.Lback_\id
	mark_inside %r11, %rax
	movq	SITE_RETURN(%rbp), %rdi
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	/*
	 * Check again that the cell has a set, and that this call belongs to it. Before the
	 * mark was set, the cell may have been given to other functions.
	 */
	movq	CELL_SINCE(%rdx), %rax
	cmpq	%rax, CALL_SINCE(%rbp)
	jne	.Lother_\id
	movq	CELL_SET(%rdx), %r8
	cmpq	%rax, SET_SINCE(%r8)
	jne	.Lother_\id
	movq	SET_ENTRIES(%r8), %r8
	go_through CELL_FUNC, entry_\id
	testb	$CALL_SKIP, CALL_SINCE(%rbp)
	jnz	.Lset_skip_\id
	thread_to %r11
	mark_outside %r11
	load_args \nr
	jmp	.Lset_call_\id

.Lset_skip_\id:
	movq	SITE_RETURN(%rbp), %rdi
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	movq	CELL_SINCE(%rdx), %rcx
	movq	CALL_SINCE(%rbp), %rax
	xorq	$CALL_SKIP, %rax
	cmpq	%rax, %rcx
	jne	.Lchanged_\id
	movq	CELL_SET(%rdx), %r8
	cmpq	%rcx, SET_SINCE(%r8)
	jne	.Lchanged_\id
	jmp	.Lset_tell_\id
	lsda	set_\id, \id, \from
.endm
