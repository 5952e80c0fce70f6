/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Describes modules in the data file when their functions are armed. */
#ifndef PB_TRACE_MODULES_H
#define PB_TRACE_MODULES_H

#include <patchbay/patchbay.h>

/* Declares or defines an attach function of a tracer (struct patchbay_ops_attr). */
#define PB_ATTACH(name)                                                        \
	int name(__attribute__((unused)) void *data,                           \
		 const struct patchbay_module_info *module,                    \
		 struct patchbay_target *targets, size_t nr)

/* Write a module. Returns its id or -errno. */
int pb_session_module(const struct patchbay_module_info *module);

/*
 * Write a module, unless the file contains it, for events with addresses in the module.
 * Returns 0 or -errno.
 */
int pb_session_know(const struct patchbay_module_info *module);

/* The attach function of tracers that record events; see pb_function_number(). */
PB_ATTACH(pb_session_attach);
/*
 * The attach functions of the tracers in sample.c, typed.c and histogram.c, which set
 * cell->data to other values.
 */
PB_ATTACH(pb_sample_attach);
PB_ATTACH(pb_typed_attach);
PB_ATTACH(pb_histogram_attach);

/*
 * Returns an error for the data file's header if functions or modules could not be armed.
 * -EILSEQ: a function had unexpected bytes at its site. -EPROTONOSUPPORT: a module has
 * another ABI version. Includes functions that the program itself tried to arm.
 */
int pb_refused(void);

/* The recording is over: forget all modules. The caller holds the session's lock. */
void pb_session_forget_modules(void);

#endif /* PB_TRACE_MODULES_H */
