/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds traced functions whose sites were changed by other code, for example by a uprobe that
 * is removed, or by a debugger. The file lists them as left out (PBD_LEFT_OUT_CHANGED). They
 * are armed again if that is safe (patchbay_rearm()). When the process exits, libpatchbay
 * reports them while modules are unloaded (core/system/private.h).
 */
#ifndef PB_TRACE_SITE_CHECK_H
#define PB_TRACE_SITE_CHECK_H

/* Call this once, before anything is armed. */
void pb_site_check_init(void);

/* Look now. Call this when a recording ends, or when a command asks for it. */
void pb_site_check(void);

/*
 * Look when the process is about to end without destructors. Arms nothing, allocates nothing,
 * and does not wait for long. Writes nothing if another thread keeps arming or disarming.
 */
void pb_site_check_last(void);

/* Look if a look is due. The listening thread calls this. */
void pb_site_check_look(void);

#endif /* PB_TRACE_SITE_CHECK_H */
