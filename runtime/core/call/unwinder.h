/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer call/: the C code between a trampoline and the handlers. This code takes no lock
 * and does not allocate, because it runs in any thread and in signal handlers. A thread reads
 * cells and sets only while it is marked as inside (quiesce/quiesce.h).
 *
 * This header: the unwinder that the library calls. A process may have several unwinders: that
 * of libgcc_s.so.1, copies (-static-libgcc), and LLVM's libunwind. No unwinder can read the
 * context of another unwinder.
 */
#pragma once

#include <patchbay/exit.h>

#include <unwind.h>

/*
 * The functions of the unwinder, all from one module. (A program may interpose only some
 * functions of libgcc_s.so.1.) All are NULL until pb_unwinder_find().
 */
struct pb_unwinder {
	_Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn step, void *arg);
	_Unwind_Word (*get_cfa)(struct _Unwind_Context *context);
	_Unwind_Word (*get_gr)(struct _Unwind_Context *context, int reg);
	_Unwind_Word (*get_ip)(struct _Unwind_Context *context);
	void *(*get_data)(struct _Unwind_Context *context);
	void (*set_gr)(struct _Unwind_Context *context, int reg, _Unwind_Word value);
	void (*set_ip)(struct _Unwind_Context *context, _Unwind_Word ip);
	void (*resume)(struct _Unwind_Exception *exception);
};
extern struct pb_unwinder pb_unwinder;

/* Set when the first tracer with an exit is created. */
extern int pb_has_exits;

/* Find the unwinder, before a tracer is armed. Later calls do nothing. */
void pb_unwinder_find(void);

/* Is @address in the module of the library's unwinder? */
int pb_unwinder_has(uintptr_t address);

/* The call whose body the frame of @context has called, or NULL for another frame. */
struct patchbay_call *pb_unwinder_call_of(struct _Unwind_Context *context);

/*
 * Look up @nr functions in libgcc_s.so.1, even if other objects interpose them. Stores NULL
 * for unknown names. Returns 0 if libgcc_s.so.1 is not loaded. libpatchbay.so contains this
 * function. libpatchbay.a does not: the linker has bound all its names to one unwinder.
 */
int pb_libgcc_look_up(const char *const *names, void **address, size_t nr)
	__attribute__((weak));
