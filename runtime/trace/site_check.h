/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that are traced, and whose sites something else changes meanwhile: a uprobe
 * that ends, a debugger. They are written down as left out (PBD_LEFT_OUT_CHANGED), and
 * armed again where that is safe (patchbay_rearm()). When the process exits, libpatchbay
 * tells of them as modules leave (core/private.h).
 */
#ifndef PB_TRACE_SITE_CHECK_H
#define PB_TRACE_SITE_CHECK_H

/* Once, before anything is armed. */
void pb_site_check_init(void);

/* Now: a recording ends, or a command asks. */
void pb_site_check(void);

/*
 * The process is about to end without destructors. Arms nothing, allocates no memory, and
 * does not wait for long: if another thread changes what is armed all the while, nothing
 * is written.
 */
void pb_site_check_last(void);

/* If it is time again. Called by the thread that listens. */
void pb_site_check_look(void);

#endif /* PB_TRACE_SITE_CHECK_H */
