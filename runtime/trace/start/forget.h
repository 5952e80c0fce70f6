/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_TRACE_FORGET_H
#define PB_TRACE_FORGET_H

/*
 * The recording is over, and no tracer is left: close the file and reset the session.
 * Handlers must not call this.
 */
void pb_session_forget(void);

#endif /* PB_TRACE_FORGET_H */
