/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds traced functions whose sites other code has changed, for example a debugger, or the
 * kernel when it removes a uprobe. The file lists these functions as left out
 * (PBD_LEFT_OUT_CHANGED). Such functions are rearmed if that is safe (patchbay_rearm()).
 * When the process exits, libpatchbay reports such functions as it unloads modules
 * (core/system/private.h).
 */
#ifndef PB_TRACE_SITE_CHECK_H
#define PB_TRACE_SITE_CHECK_H

/* Call this once, before functions are armed. */
void pb_site_check_init(void);

/*
 * Check all sites now, for example at the end of a recording, or on request of a command.
 */
void pb_site_check(void);

/*
 * Check all sites when the process is about to end without destructors. Rearms no functions
 * and allocates no memory. Waits at most 10 ms for threads that arm or disarm functions,
 * then gives up.
 */
void pb_site_check_last(void);

/* Check all sites if a check is due. The listening thread calls this. */
void pb_site_check_look(void);

#endif /* PB_TRACE_SITE_CHECK_H */
