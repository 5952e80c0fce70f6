/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules that cannot be traced (format.h, struct pbd_other). The file lists them, so that
 * users know why calls are missing.
 */
#ifndef PB_TRACE_UNTRACEABLE_MODULES_H
#define PB_TRACE_UNTRACEABLE_MODULES_H

/*
 * Write the modules that are not in the file yet. The caller must not hold the
 * session's lock.
 */
void pb_others_write(void);

/*
 * Copy the list to another file of this process or of a child, so that readers need no
 * other file. Readers ignore duplicates. The caller holds the lock. Async-signal-safe.
 */
int pb_others_copy(void);

/* The recording is over: clear the list. The caller holds the lock. */
void pb_others_forget(void);

#endif /* PB_TRACE_UNTRACEABLE_MODULES_H */
