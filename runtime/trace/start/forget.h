/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_TRACE_FORGET_H
#define PB_TRACE_FORGET_H

/*
 * The recording is over: reset the session. The file is complete and unmapped, and no tracer is
 * left. Handlers must not call this.
 */
void pb_session_forget(void);

#endif /* PB_TRACE_FORGET_H */
