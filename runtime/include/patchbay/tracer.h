/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers: what one is, what its handler sees, and making, changing and destroying
 * it. A part of <patchbay/patchbay.h>, which has what holds for all of this.
 */
#ifndef PATCHBAY_TRACER_H
#define PATCHBAY_TRACER_H

#include <patchbay/abi.h>
#include <patchbay/regs.h>

#ifdef __cplusplus
extern "C" {
#endif

struct patchbay_ops;
struct pb_set;

struct patchbay_cell;

/*
 * The version of what handlers and callbacks are compiled with: the inline functions
 * for handlers, and the structures without a size that these and the library share
 * (patchbay_cell, patchbay_call, patchbay_regs, patchbay_record, patchbay_target,
 * patchbay_module_info). It changes when one of them does. 0 is the first version.
 */
#define PATCHBAY_HANDLER_ABI 0u

/*
 * A handler.
 * @ip:        entry of the function that was called
 * @parent_ip: return address in its caller
 * @cell:      the function's cell: data, record
 * @regs:      its arguments
 */
typedef void (*patchbay_handler)(uintptr_t ip, uintptr_t parent_ip,
				 const struct patchbay_cell *cell,
				 struct patchbay_regs *regs);

/*
 * struct patchbay_cell - one tracer on one function
 * @enter:  what the trampoline calls (internal)
 * @func:   the handler
 * @data:   given by @attach or by the tracer's attributes
 * @record: what the function's record says of its arguments and its result; the
 *          rest of it is 0 in cells that several functions share
 * @ops:    the tracer
 * @set:    the other tracers of the function (internal)
 * @exit:   the exit handler, or NULL
 * @since:  when it was armed, and which of a call's words is its own (internal)
 *
 * The slot of an armed function points to one, which may be that of other functions,
 * too: those of a module that have the same tracers with the same data. Which function
 * it is that was called, @ip of a handler says. Handlers read what is theirs; the
 * library writes.
 */
struct patchbay_cell {
	patchbay_handler enter;
	patchbay_handler func;
	void *data;
	const struct patchbay_record *record;
	struct patchbay_ops *ops;
	const struct pb_set *set;
	patchbay_handler exit;
	uint64_t since;
};

/*
 * Bits of @since: the word, and which direct way the trampoline may go (internal;
 * runtime/core/call_state.h has the table).
 */
#define PATCHBAY_CELL_WORD 0x3f
#define PATCHBAY_CELL_DIRECT_EXIT 0x40
#define PATCHBAY_CELL_DIRECT_BOTH 0x80
#define PATCHBAY_CELL_DIRECT_TIMED 0x100
#define PATCHBAY_CELL_DIRECT_SET 0x200
#define PATCHBAY_CELL_DIRECT_ENTRIES 0x8000
#define PATCHBAY_CELL_SINCE (~(uint64_t)0xffff)

/*
 * struct patchbay_module_info - a loaded module
 * @path:          file, "" if it is not known; valid during the callback
 * @base:          load bias: run-time address minus ELF address
 * @build_id:      GNU build id, NULL if there is none
 * @build_id_size: its length in bytes
 * @low, @high:    its functions are at run-time addresses from @low up to @high,
 *                 without @high
 */
struct patchbay_module_info {
	const char *path;
	uintptr_t base;
	const uint8_t *build_id;
	size_t build_id_size;
	uintptr_t low, high;
};

/*
 * struct patchbay_target - a function that is about to be armed
 * @entry:  its entry
 * @record: what its record says of its arguments and its result; the rest of it is
 *          0. It is a copy, for the time of the callback
 * @data:   what cell->data shall be; beforehand, the filter's cookie or else
 *          the tracer's data
 */
struct patchbay_target {
	uintptr_t entry;
	const struct patchbay_record *record;
	void *data;
};

/*
 * The handler was compiled with -mgeneral-regs-only (ppc64le: -msoft-float
 * -mno-altivec -mno-vsx; riscv64: -mno-implicit-float, and has no variables of
 * floating-point types), or is known to use no vector and no floating-point
 * register, and calls nothing that is instrumented. It is called without saving
 * these, which is several times cheaper.
 */
#define PATCHBAY_OPS_FAST 1u

/*
 * The handler must not be called while its thread is in a handler, because it takes a
 * lock, for instance, which a signal handler that interrupts it and makes a traced call
 * would wait for. No handler is: such calls are missed, and counted. The flag says what
 * the tracer relies on.
 */
#define PATCHBAY_OPS_RECURSION 2u

/*
 * @attach gives all functions that it is called for at once, which are of one module,
 * the same data. Then they share memory, and many of them are armed in a fraction of
 * the time. What is said of a single function has to be found by @ip of a handler:
 * functions of a module are at different addresses, from patchbay_module_info.low on.
 */
#define PATCHBAY_OPS_MODULE_DATA 4u

/*
 * struct patchbay_ops_attr - properties of a tracer
 * @size:    sizeof(struct patchbay_ops_attr); see Versions in <patchbay/patchbay.h>
 * @flags:   PATCHBAY_OPS_*
 * @handler: what to call; NULL only if there is an @exit
 * @data:    cell->data of every function, unless a cookie or @attach says other
 * @attach:  NULL, or called once per module and request before its functions
 *           are armed, to choose the data of each. A negative errno stops the
 *           batch. If the batch fails later, what @attach did stays. With
 *           PATCHBAY_OPS_MODULE_DATA it must give the same data to all; else the
 *           batch fails, -EINVAL. See Callbacks in <patchbay/patchbay.h>
 * @exit:    NULL, or what to call when the function is left; <patchbay/exit.h>
 *           has what it sees, and what @handler can do beside it
 * @check:   NULL, or called with @check_arg for each function that is selected
 *           and does not have the tracer yet, before anything is changed. A
 *           negative errno refuses the function: it stops the batch, or the
 *           function is left out with PATCHBAY_ARM_SKIP. It is asked about functions
 *           up to the first that cannot be armed for another reason. See Callbacks
 * @threshold: NULL, or @exit is called for calls only that took at least this
 *           many ticks of patchbay_clock(), with both times: <patchbay/exit.h>.
 *           The library times them, so there is no @handler. It may be changed at
 *           any time, by an atomic store, also from handlers and signal
 *           handlers; it is what it is when a call ends. It has to stay until
 *           the tracer has been destroyed
 */
struct patchbay_ops_attr {
	size_t size;
	unsigned int flags;
	patchbay_handler handler;
	void *data;
	int (*attach)(void *data, const struct patchbay_module_info *module,
		      struct patchbay_target *targets, size_t nr);
	patchbay_handler exit;
	int (*check)(void *check_arg, const struct patchbay_target *target);
	void *check_arg;
	const uint64_t *threshold;
};

#define PATCHBAY_OPS_ATTR_SIZE_VER0 24 /* up to @handler */

/*
 * Make a tracer. It does nothing until it is armed. @abi is PATCHBAY_HANDLER_ABI of
 * the header that the handlers are compiled with; patchbay_ops_create() passes it.
 *
 * -EINVAL: neither handler, unknown flags, PATCHBAY_OPS_MODULE_DATA without @attach,
 * @threshold with @handler or without @exit, or a size less than
 * PATCHBAY_OPS_ATTR_SIZE_VER0. -E2BIG: a larger size, of a later header, with
 * something set that this library does not know. -EPROTONOSUPPORT: @abi is not the
 * library's: compile the program again. -EDEADLK: called from a handler. -ENOMEM.
 */
int patchbay_ops_create_abi(const struct patchbay_ops_attr *attr,
			    struct patchbay_ops **ops, unsigned int abi);

PATCHBAY_INLINE int patchbay_ops_create(const struct patchbay_ops_attr *attr,
					struct patchbay_ops **ops)
{
	return patchbay_ops_create_abi(attr, ops, PATCHBAY_HANDLER_ABI);
}

/*
 * Disarm the tracer everywhere and free it. When this returns no thread is in
 * its handler and none will enter it. NULL is no tracer, and no error.
 *
 * -EDEADLK: called from a handler; nothing changed. -ETIMEDOUT
 * (patchbay_set_wait_limit()), or an error of membarrier(2): the tracer is disarmed
 * everywhere and is entered no more, but one of its handlers may be running, so it
 * was not freed. It may be a handler of another tracer that takes so long: which
 * ones are over is known of all of them together. Call it again.
 * Other errors are those of patchbay_disarm(): nothing changed.
 */
int patchbay_ops_destroy(struct patchbay_ops *ops);

/*
 * Exchange the entry handler, everywhere at once and without a write to text.
 * The flags hold for @handler, too. Data stay. During the call threads run the
 * old handler or the new one; when it returns none is in the old one.
 *
 * -EINVAL: @handler is NULL, or the tracer was made without one. -EDEADLK: called
 * from a handler. -ENOMEM: nothing changed; what is needed is memory for functions with other tracers, too.
 * Other errors are -ETIMEDOUT, patchbay_set_wait_limit(), and those of
 * membarrier(2): the handler was exchanged, but the old one may be running.
 */
int patchbay_ops_update(struct patchbay_ops *ops, patchbay_handler handler);

/*
 * The same for a tracer with an exit handler. A call whose entry the old handler
 * saw may be told of to the new @exit, with the word that it left. -EINVAL, too:
 * one of the two is NULL and was not, or the other way.
 */
int patchbay_ops_update_both(struct patchbay_ops *ops, patchbay_handler handler,
			     patchbay_handler exit);

/*
 * Stop calling the handler, and start again; a tracer is enabled when it is
 * made. It stays armed where it is, and can be armed and disarmed meanwhile. So
 * this takes no write to text, but calls of its functions go on taking the way
 * through a trampoline. When patchbay_ops_disable() returns, no thread is in
 * the handler. To do either twice is no error.
 *
 * -EDEADLK, or errors as for patchbay_ops_update().
 */
int patchbay_ops_enable(struct patchbay_ops *ops);
int patchbay_ops_disable(struct patchbay_ops *ops);

/*
 * struct patchbay_ops_info - a tracer as it is
 * @size:         sizeof(struct patchbay_ops_info), set by the caller
 * @flags:        as it was made
 * @enabled:      1, or 0 after patchbay_ops_disable()
 * @armed:        on how many functions
 * @nmissed:      calls that it did not see since it was made, because their
 *                thread was in a handler
 * @future_error: the last negative errno of arming functions of a module that
 *                came after PATCHBAY_ARM_FUTURE, 0 if there was none: those
 *                functions are not armed
 */
struct patchbay_ops_info {
	size_t size;
	unsigned int flags;
	int enabled;
	size_t armed;
	uint64_t nmissed;
	int future_error;
};

#define PATCHBAY_OPS_INFO_SIZE_VER0 24 /* up to @armed */

/*
 * It waits for nobody, and may be called from a handler. -EINVAL: a size less than
 * PATCHBAY_OPS_INFO_SIZE_VER0.
 */
int patchbay_ops_get_info(const struct patchbay_ops *ops,
			  struct patchbay_ops_info *info);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_TRACER_H */
