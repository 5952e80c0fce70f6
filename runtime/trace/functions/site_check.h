/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds traced functions whose sites other code has changed, such as a uprobe
 * that ends, or a debugger. The file lists them as left out
 * (PBD_LEFT_OUT_CHANGED). They are armed again if that is safe
 * (patchbay_rearm()). When the process exits, libpatchbay reports them while
 * modules leave (core/system/private.h).
 */
#ifndef PB_TRACE_SITE_CHECK_H
#define PB_TRACE_SITE_CHECK_H

/* Call once, before anything is armed. */
void pb_site_check_init(void);

/* Look now, because a recording ends or a command asks. */
void pb_site_check(void);

/*
 * The process is about to end without destructors. Arms nothing, allocates no
 * memory, and does not wait for long. Writes nothing if another thread keeps
 * arming or disarming functions.
 */
void pb_site_check_last(void);

/* Look if it is due. The listening thread calls it. */
void pb_site_check_look(void);

#endif /* PB_TRACE_SITE_CHECK_H */
