/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tracers: their handlers, and making, changing and destroying them. A part of
 * <patchbay/patchbay.h>, which has the common rules.
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
 * The version of the interface that handlers and callbacks are compiled with: the inline
 * functions for handlers, and the shared structures without a size (patchbay_cell,
 * patchbay_call, patchbay_regs, patchbay_record, patchbay_target, patchbay_module_info).
 * The version changes when one of these changes. 0 is the first version.
 */
#define PATCHBAY_HANDLER_ABI 0u

/*
 * A handler.
 * @ip:        entry of the function that was called
 * @parent_ip: return address in the function's caller
 * @cell:      the function's cell: data, record
 * @regs:      the function's arguments
 */
typedef void (*patchbay_handler)(uintptr_t ip, uintptr_t parent_ip,
				 const struct patchbay_cell *cell,
				 struct patchbay_regs *regs);

/*
 * struct patchbay_cell - one tracer on one function
 * @enter:  called by the trampoline (internal)
 * @func:   the handler
 * @data:   from @attach or from the tracer's attributes
 * @record: describes the function's arguments and result; its other fields
 *          are 0 in cells that several functions share
 * @ops:    the tracer
 * @set:    the other tracers of the function (internal)
 * @exit:   the exit handler, or NULL
 * @since:  the number of the batch that armed the tracer, and the number of the
 *          tracer's word in a call (internal)
 *
 * The slot of an armed function points to a cell. Functions of a module that have the
 * same tracers with the same data may share a cell. @ip of a handler is the function that
 * was called. Only the library writes cells; handlers may write the object at @data.
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
 * Bits of @since: the word, and the direct paths that the trampoline may take (internal;
 * runtime/core/types/call_state.h has the table).
 */
#define PATCHBAY_CELL_DIRECT_BOTH 0x10
#define PATCHBAY_CELL_DIRECT_SET 0x20
#define PATCHBAY_CELL_DIRECT_EXIT 0x40
#define PATCHBAY_CELL_DIRECT_TIMED 0x80
#define PATCHBAY_CELL_WORD 0xff00 /* the word's number, negative */
#define PATCHBAY_CELL_SINCE (~(uint64_t)0xffff)

/*
 * struct patchbay_module_info - a loaded module
 * @path:          file, "" if unknown; valid during the callback
 * @base:          load bias: run-time address minus ELF address
 * @build_id:      GNU build id, NULL if there is none
 * @build_id_size: length of @build_id in bytes
 * @low, @high:    range of run-time addresses of the module's functions, without @high
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
 * @entry:  entry of the function
 * @record: a copy, valid during the callback, that describes arguments and result; its
 *          other fields are 0
 * @data:   the callback sets this to the value for cell->data; initially the filter's
 *          cookie or else the tracer's data
 */
struct patchbay_target {
	uintptr_t entry;
	const struct patchbay_record *record;
	void *data;
};

/*
 * The handler calls no instrumented function, and uses no vector or floating-point
 * register: compile it with -mgeneral-regs-only (ppc64le: -msoft-float -mno-altivec
 * -mno-vsx; riscv64: -mno-implicit-float, without variables of floating-point types). The
 * library does not save these registers, so the call is several times cheaper.
 */
#define PATCHBAY_OPS_FAST 1u

/*
 * The handler must not be called while its thread is in a handler, for example because the
 * handler takes a lock: a signal handler that interrupts the handler and makes a traced call
 * would wait for that lock. The library never calls a handler within a handler: such calls
 * are missed, and counted. The flag documents that the tracer relies on this.
 */
#define PATCHBAY_OPS_RECURSION 2u

/*
 * @attach gives the same data to all functions of one call, which are of one module.
 * Then the functions share memory, and arming many takes a fraction of the time. A
 * handler must find data of a single function by its @ip: functions of a module are
 * at different addresses, from patchbay_module_info.low on.
 */
#define PATCHBAY_OPS_MODULE_DATA 4u

/*
 * The handlers do not call patchbay_result_fp(). With PATCHBAY_OPS_FAST the library then
 * calls @exit without saving the result of functions that return floating-point values or
 * vectors.
 */
#define PATCHBAY_OPS_NO_RESULT_FP 8u

/*
 * struct patchbay_ops_attr - properties of a tracer
 * @size:    sizeof(struct patchbay_ops_attr); see Versions in <patchbay/patchbay.h>
 * @flags:   PATCHBAY_OPS_*
 * @handler: the entry handler; NULL only if there is an @exit
 * @data:    cell->data of every function, unless a cookie or @attach overrides it
 * @attach:  NULL, or called once per module and request before its functions
 *           are armed, to set the data of each. A negative errno stops the
 *           batch. If the batch fails later, the effects of @attach stay. With
 *           PATCHBAY_OPS_MODULE_DATA it must give the same data to all, or the
 *           batch fails with -EINVAL. See Callbacks in <patchbay/patchbay.h>
 * @exit:    NULL, or called when the function is left; see <patchbay/exit.h>,
 *           also for what @handler can do then
 * @check:   NULL, or called with @check_arg for each selected function that does
 *           not have the tracer yet, before anything changes. A negative errno
 *           refuses the function: this stops the batch or, with PATCHBAY_ARM_SKIP,
 *           skips the function. The library calls @check for functions up to the
 *           first that cannot be armed for another reason. See Callbacks
 * @threshold: NULL, or @exit is only called for calls that took at least this
 *           many ticks of patchbay_clock(), with both times: <patchbay/exit.h>.
 *           The library times the calls, so there is no @handler, and the arguments in
 *           @regs of @exit are undefined. patchbay_ops_create() copies the threshold;
 *           patchbay_ops_set_threshold() changes the copy
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
 * Makes a tracer, which does nothing until it is armed. @abi is PATCHBAY_HANDLER_ABI of
 * the header that the handlers are compiled with; patchbay_ops_create() passes it.
 *
 * -EINVAL: no handler, unknown flags, PATCHBAY_OPS_MODULE_DATA without @attach,
 * @threshold with @handler or without @exit, or a size less than
 * PATCHBAY_OPS_ATTR_SIZE_VER0. -E2BIG: a larger size, of a later header, that
 * sets a field which this library does not know. -EPROTONOSUPPORT: @abi is not the
 * library's: recompile the program. -EDEADLK: called from a handler. -ENOMEM.
 */
int patchbay_ops_create_abi(const struct patchbay_ops_attr *attr,
			    struct patchbay_ops **ops, unsigned int abi);

PATCHBAY_INLINE int patchbay_ops_create(const struct patchbay_ops_attr *attr,
					struct patchbay_ops **ops)
{
	return patchbay_ops_create_abi(attr, ops, PATCHBAY_HANDLER_ABI);
}

/*
 * Disarms the tracer everywhere and frees it. When this returns no thread is in
 * its handler and none will enter it. NULL is allowed and does nothing.
 *
 * -EDEADLK: called from a handler; nothing changed. -ETIMEDOUT
 * (patchbay_set_wait_limit()), or an error of membarrier(2): the tracer is disarmed
 * everywhere and no thread enters it any more. But one of its handlers may be running,
 * so the tracer was not freed: call patchbay_ops_destroy() again. The slow handler may
 * be that of another tracer, because the library only knows when all handlers that ran
 * have ended. Other errors are those of patchbay_disarm(): nothing changed.
 */
int patchbay_ops_destroy(struct patchbay_ops *ops);

/*
 * Sets the threshold of a tracer that has one (struct patchbay_ops_attr). The value at the end
 * of a call counts. Takes effect at once, waits for nothing and cannot fail. Handlers and
 * signal handlers may call it.
 */
void patchbay_ops_set_threshold(struct patchbay_ops *ops, uint64_t ticks);

/*
 * Replaces the entry handler, everywhere at once and without a write to text.
 * The flags also apply to @handler. Data stay. During the call threads run the
 * old or the new handler; afterwards no thread is in the old handler.
 *
 * -EINVAL: @handler is NULL, or the tracer was made without one. -EDEADLK: called
 * from a handler. -ENOMEM: nothing changed; functions with several tracers need memory.
 * Other errors are -ETIMEDOUT (patchbay_set_wait_limit()) and those of
 * membarrier(2): the handler was replaced, but the old handler may be running.
 */
int patchbay_ops_update(struct patchbay_ops *ops, patchbay_handler handler);

/*
 * Like patchbay_ops_update(), for a tracer with an exit handler. If the old handler saw the
 * entry of a call, the new @exit may get its exit, with the old handler's word. Also -EINVAL
 * if a handler is NULL where the old one was not, or the reverse.
 */
int patchbay_ops_update_both(struct patchbay_ops *ops, patchbay_handler handler,
			     patchbay_handler exit);

/*
 * patchbay_ops_disable() stops calling the handlers, and patchbay_ops_enable()
 * starts again. A new tracer is enabled. A disabled tracer stays armed, and can
 * be armed and disarmed. So text is not written, but calls of the functions
 * still go through a trampoline. When patchbay_ops_disable() returns, no thread
 * is in the handlers. It is no error to call either function twice.
 *
 * -EDEADLK, or errors as for patchbay_ops_update().
 */
int patchbay_ops_enable(struct patchbay_ops *ops);
int patchbay_ops_disable(struct patchbay_ops *ops);

/*
 * struct patchbay_ops_info - the current state of a tracer
 * @size:         sizeof(struct patchbay_ops_info), set by the caller
 * @flags:        the flags that the tracer was created with
 * @enabled:      1, or 0 after patchbay_ops_disable()
 * @armed:        the number of functions that the tracer is armed on
 * @nmissed:      calls that the tracer has missed since it was created, because
 *                their thread was in a handler
 * @future_error: the last negative errno of arming functions of a module that
 *                was loaded after PATCHBAY_ARM_FUTURE, 0 if there was none: those
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
 * Does not wait, and may be called from a handler. -EINVAL: a size less than
 * PATCHBAY_OPS_INFO_SIZE_VER0.
 */
int patchbay_ops_get_info(const struct patchbay_ops *ops,
			  struct patchbay_ops_info *info);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_TRACER_H */
