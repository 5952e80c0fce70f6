/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds traced functions whose sites were changed by other code, for example by a uprobe
 * that is removed, or by a debugger. The file lists them as left out
 * (PBD_LEFT_OUT_CHANGED). They are armed again if that is safe (patchbay_rearm()). When the
 * process exits, libpatchbay reports such functions as it unloads modules
 * (core/system/private.h).
 */
#ifndef PB_TRACE_SITE_CHECK_H
#define PB_TRACE_SITE_CHECK_H

/* Call this once, before anything is armed. */
void pb_site_check_init(void);

/* Look now, for example when a recording ends, or when a command requests it. */
void pb_site_check(void);

/*
 * Look when the process is about to end without destructors. Arms and allocates nothing,
 * and waits at most 10 ms for other threads that arm or disarm. If they continue, writes
 * nothing.
 */
void pb_site_check_last(void);

/* Look if a look is due. The listening thread calls this. */
void pb_site_check_look(void);

#endif /* PB_TRACE_SITE_CHECK_H */
