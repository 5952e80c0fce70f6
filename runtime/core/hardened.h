/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hardened mode: what tracers call has the kCFI hash of its type before it, as
 * it would have to have if the compiler had made the call.
 */
#ifndef PB_CORE_HARDENED_H
#define PB_CORE_HARDENED_H

#include <patchbay/patchbay.h>

/* Whether it is on. */
extern int pb_hardened;

/*
 * Switch it on. -EACCES: a tracer that exists already does not pass. -EOPNOTSUPP:
 * the library was built by a compiler without kCFI. Under the change lock, as
 * the next one is.
 */
int pb_hardened_init(void);

/* -EACCES: a function of @attr is not NULL and not of its type. */
int pb_hardened_check(const struct patchbay_ops_attr *attr);

/* Has @func the hash of a handler? It is code: this reads what is before it. */
int pb_hardened_is_handler(patchbay_handler func);

/*
 * A function of this type, and pb_enter_nothing() as a handler, have a hash if
 * any function here can.
 */
extern const int pb_typed;
int pb_typed_attach(void *data, const struct patchbay_module_info *module,
		    struct patchbay_target *targets, size_t nr);
int pb_typed_check(void *arg, const struct patchbay_target *target);

#endif /* PB_CORE_HARDENED_H */
