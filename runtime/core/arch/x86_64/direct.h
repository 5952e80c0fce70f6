/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The direct way: calls the body and the exit handlers of a simple function
 * (pb_call_is_simple()) whose tracers are all FAST. Each trampoline of the library has a
 * direct way, and so has a module's own trampoline (own.h). Trampolines take it if the
 * state in cell->since says so (call_state.h). The effect is that of pb_arch_call_fast() and
 * pb_arch_call_set() in exit.S, with fewer branches and stores.
 *
 * Without an entry handler the trampoline does not mark the thread at the entry: it only
 * reads cell->since, and compares the value at the exit. The thread may be inside or outside,
 * or have no reader.
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

/* Return to the site with the result of the call. CF is set: it makes the site's jb jump. */
.macro return_past_body
	movq	CALL_RAX(%rbp), %rax
	movq	CALL_RDX(%rbp), %rdx
	.cfi_remember_state
	leaq	SITE_RETURN(%rbp), %rsp
	.cfi_def_cfa %rsp, 8
	movq	CALL_FRAME-SITE_RETURN(%rsp), %rbp	/* in the red zone */
	.cfi_same_value %rbp
	retq
	.cfi_restore_state
.endm

/* Call the body at r11, and save its result. The label says where the body returns. */
.macro call_body_at_r11 body
	.cfi_remember_state
	.cfi_def_cfa_offset STACK_ARGS
	.cfi_offset %rbp, -STACK_ARGS
	args_unknown
	/* notrack: no endbr64 follows the site. */
	notrack callq *%r11
.Lbody_\body:
	.cfi_restore_state
	movq	%rax, CALL_RAX(%rbp)
	movq	%rdx, CALL_RDX(%rbp)
.endm

/*
 * After the body: mark the thread as inside. Jump to .Lchanged if the cell's since is no longer
 * the call's. Results: rdi is the function, rdx its cell, r10 the cell's since. rcx points
 * to struct patchbay_regs. r8 is the offset of struct pb_thread from %fs:0, r11 the reader.
 */
.macro mark_inside_after_body from, id
	/* The body may return on another thread, if a fiber was resumed there. */
	words_to %r8
	movq	%fs:(%r8), %r11
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%r11)
	jne	.Lslow_\id
	mark_inside %r11, %rcx, %r10
	movq	SITE_RETURN(%rbp), %rdi
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	movq	CELL_SINCE(%rdx), %r10
	cmpq	%r10, CALL_SINCE(%rbp)
	jne	.Lchanged_\id
.endm

/* Call the body with the arguments in registers, then mark_inside_after_body. */
.macro call_body_directly from, body, id
	movq	SITE_RETURN(%rbp), %r11
	addq	$JB_SIZE, %r11
	call_body_at_r11 \body
	mark_inside_after_body \from, \id
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

/* Make the frame of a call: rbp points to a copy of the caller's frame pointer and address. */
.macro make_call_frame
	movq	%rbp, -(WAY_TO_CALL+REGS_SIZE)(%rsp)	/* in the red zone */
	leaq	-(WAY_TO_CALL+REGS_SIZE)(%rsp), %rbp
	.cfi_def_cfa %rbp, WAY_TO_CALL+REGS_SIZE+8
	.cfi_offset %rbp, -(WAY_TO_CALL+REGS_SIZE+8)
	leaq	-(FRAME_SIZE+WAY_TO_CALL+REGS_SIZE)(%rsp), %rsp
.endm

/*
 * Jump to \back unless rax is the since of the cell in the function's slot. The thread is not
 * marked: when rax was loaded, the cell may have had other functions. So load the slot and
 * since again. The check is wrong only in one case: at both loads of since the cell had other
 * functions, armed by the same batch, and at both loads of the slot it had this function.
 */
.macro check_since from, slot, temp, back
	movq	PATCHBAY_SLOT_OFFSET-\from(\slot), \temp
	cmpq	%rax, CELL_SINCE(\temp)
	jne	\back
.endm

/*
 * rsp points to site + 5, with struct patchbay_regs below it. r11 is site + 5. rax is the value
 * of cell->since for which the trampoline has chosen this way. The code below detects a later
 * change of cell->since. \id makes the labels unique. If the direct way cannot handle the call,
 * the trampoline \back continues.
 */
.macro call_directly from, nr, id, back
	.cfi_remember_state
	make_call_frame
	testb	$CELL_DIRECT_BOTH, %al
	jz	.Lno_entry_\id

	/* With an entry handler: the thread must be outside. */
	movq	SITE_RETURN+8(%rbp), %rsi
	movq	%rsi, CALL_PARENT(%rbp)
	thread_to %rax
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%rax)
	jne	.Lback_\id
	mark_inside %rax, %rcx, %rdx
	/* While the thread is marked, since and the handler belong to the same tracer. */
	movq	PATCHBAY_SLOT_OFFSET-\from(%r11), %rdx
	movq	CELL_SINCE(%rdx), %rax
	testb	$CELL_DIRECT_BOTH, %al
	jz	.Lother_\id
	movq	%rax, CALL_SINCE(%rbp)
	leaq	-\from(%r11), %rdi
	callq	*CELL_FUNC(%rdx)
	cmpb	$CELL_DIRECT_BOTH, CALL_SINCE(%rbp)
	jne	.Lshort_\id
	thread_to %r11
	mark_outside %r11
	load_args \nr
.Lcall_\id:
	call_body_directly \from, \id, \id
.Ltell_\id:
	movq	CALL_PARENT(%rbp), %rsi
	callq	*CELL_EXIT(%rdx)
.Loutside_\id:
	thread_to %r11
	mark_outside %r11
.Lreturn_\id:
	stc
	return_past_body

	/* The handler has set a result, or the cell has no exit handler, or both. */
.Lshort_\id:
	movzbl	CALL_SINCE(%rbp), %eax
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
	leaq	CALL_REGS(%rbp), %rcx
	movq	CELL_SINCE(%rdx), %r10
	xorq	CALL_SINCE(%rbp), %r10
	cmpq	$CALL_SKIP, %r10
	je	.Ltell_\id

	rare_exits \from, \id

	/* Continue in the trampoline \back. */
.Lother_\id:
	thread_to %rax
	mark_outside %rax
.Lback_\id:
	leaq	CALL_REGS(%rbp), %rsp
	movq	(%rbp), %rbp		/* in the red zone */
	.cfi_restore_state
	.cfi_adjust_cfa_offset REGS_SIZE
	movq	REGS_SIZE(%rsp), %r11
	jmp	.Lgeneral_\back

	/* An exception passes through this frame. rax points to the exception. */
.Lunwind_\id:
	.cfi_def_cfa %rbp, STACK_ARGS
	.cfi_offset %rbp, -STACK_ARGS
	args_unknown
	unwound \from, \id
	.cfi_endproc
	lsda	\id, \id, \from

	/*
	 * A tracer with a threshold: the code below does the work of pb_timed_entry() and
	 * pb_timed_exit() without a call. It marks the thread only if the call reaches the
	 * threshold, and does not fill in struct patchbay_regs. The code has its own unwind
	 * information, because its call of the body has another return address.
	 */
	.cfi_startproc
	personality
	.cfi_lsda 0x1b, .Llsda_timed_\id
.Ltimed_\id:
	make_call_frame
	movq	%rdx, CALL_REGS+REGS_RDX(%rbp)
	.cfi_offset %rdx, REGS_RDX-(REGS_SIZE+8)
	check_since \from, %r11, %rdx, .Luntimed_\id
	movq	%rax, CALL_SINCE(%rbp)
	movq	SITE_RETURN+8(%rbp), %rax
	movq	%rax, CALL_PARENT(%rbp)
	words_to %rax
	incq	%fs:PB_THREAD_OPEN_CALLS(%rax)
	jns	.Lunknown_\id		/* the thread has no reader yet */
	read_clock
	movq	%rax, CALL_WORD(%rbp)
	movq	CALL_REGS+REGS_RDX(%rbp), %rdx
	addq	$JB_SIZE, %r11
	call_body_at_r11 timed_\id
	args_unknown
	movq	SITE_RETURN(%rbp), %rdi
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rsi
	/*
	 * The thread is not marked, so the cell may be changing. At worst @ops is NULL, or
	 * another tracer that may have been destroyed: the memory of tracers is never unmapped
	 * (tracer.h). Then this call is dropped, or is not, by the wrong threshold. Read the
	 * clock after @since: before the body makes reading the counter fatal (seccomp's strict
	 * mode, PR_SET_TSC), the library changes the cell.
	 */
	movq	CELL_OPS(%rsi), %r10
	testq	%r10, %r10
	jz	.Lretimed_\id
	movq	CALL_SINCE(%rbp), %r9
	cmpq	%r9, CELL_SINCE(%rsi)
	jne	.Lretimed_\id
	read_clock
	subq	CALL_WORD(%rbp), %rax
	cmpq	OPS_THRESHOLD(%r10), %rax
	jae	.Llong_\id
.Ldrop_\id:
	words_to %r8
	/* CF is clear only if the count was 0: this thread has resumed a fiber, and has no reader. */
	addq	$-1, %fs:PB_THREAD_OPEN_CALLS(%r8)
	jnc	.Lunread_\id
	return_past_body

.Lnegative_\id:
	xorl	%eax, %eax
	cmpq	OPS_THRESHOLD(%r10), %rax
	jb	.Ldrop_\id
.Llong_\id:
	testq	%rax, %rax
	js	.Lnegative_\id
	movq	%rax, CALL_DURATION(%rbp)
.Lmark_\id:
	movq	$PB_FRAME_MARK, CALL_REGS+REGS_MARK(%rbp)
	words_to %r8
	movq	%fs:(%r8), %r11
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%r11)
	jne	.Lslow_\id
	mark_inside %r11, %rcx, %rdx
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	cmpq	%r9, CELL_SINCE(%rdx)
	jne	.Lchanged_\id
	movq	CELL_OPS(%rdx), %r10
	movq	CALL_PARENT(%rbp), %rsi
	callq	*OPS_EXIT(%r10)
	/* The call ends after the handler: open_calls.h has the reason. */
	words_to %r8
	movq	%fs:(%r8), %r11
	/* The count of a thread with a reader is never 0, so this sets CF. */
	addq	$-1, %fs:PB_THREAD_OPEN_CALLS(%r8)
	mark_outside %r11
	return_past_body

.Lunread_\id:
	incq	%fs:PB_THREAD_OPEN_CALLS(%r8)
	/* The tracers have changed, or the thread has no reader. No cell has this since. */
.Lretimed_\id:
	movl	$1, %r9d
	jmp	.Lmark_\id

.Lunknown_\id:
	decq	%fs:PB_THREAD_OPEN_CALLS(%rax)
.Luntimed_\id:
	movq	CALL_REGS+REGS_RDX(%rbp), %rdx
	leaq	SITE_RETURN(%rbp), %rsp
	movq	(%rbp), %rbp		/* in the red zone */
	.cfi_def_cfa %rsp, 8
	.cfi_same_value %rbp
	.irp	register, rdi, rsi, rdx, rcx, r8, r9
	.cfi_same_value %\register
	.endr
	jmp	.Lsave_\back
	.cfi_endproc
	lsda	timed_\id, \id, \from

	/*
	 * Several tracers: call the handlers on the lists of their set. This code has its own
	 * unwind information, too.
	 */
	.cfi_startproc
	personality
	.cfi_lsda 0x1b, .Llsda_set_\id
	.cfi_def_cfa %rbp, WAY_TO_CALL+REGS_SIZE+8
	.cfi_offset %rbp, -(WAY_TO_CALL+REGS_SIZE+8)
	args_saved 7
	.skip	16, 0xcc		/* for the loops below: own.h */
	/* Without an entry handler. No argument register has changed. */
.Lno_entry_\id:
	check_since \from, %r11, %rdx, .Lback_\id
	movq	CALL_REGS+REGS_RDX(%rbp), %rdx
	movq	%rax, CALL_SINCE(%rbp)
	movq	SITE_RETURN+8(%rbp), %r11
	movq	%r11, CALL_PARENT(%rbp)
	testb	$CELL_DIRECT_SET, %al
	jz	.Lcall_\id
	subq	$DIRECT_ROOM, %rsp
	testb	$CELL_DIRECT_EXIT, %al
	jz	.Lset_entries_\id
.Lset_call_\id:
	call_body_directly \from, set_\id, \id
	/*
	 * The cell's @since is still that of the entry. Call all exits of its set, unless the
	 * cell has got another set, with another @since.
	 */
	movq	CELL_SET(%rdx), %r8
	cmpq	%r10, SET_SINCE(%r8)
	jne	.Lchanged_\id
.Lset_tell_\id:
	movq	SET_EXITS(%r8), %r8
	go_through CELL_EXIT, exit_\id
	thread_to %r11
	mark_outside %r11
	stc
	return_past_body

.Lset_entries_\id:
	thread_to %r11
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%r11)
	jne	.Lback_\id
	mark_inside %r11, %rax, %rax
	movq	SITE_RETURN(%rbp), %rdi
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	/*
	 * Check again that the cell has a set, and that this call belongs to the set. Before the
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
