/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The listening thread's part of wake.h. It may call the C library. */
#ifndef PB_TRACE_WAKE_TAKE_H
#define PB_TRACE_WAKE_TAKE_H

/* The listening thread calls it. Returns a descriptor for poll(2), or -errno. */
int pb_wake_open(void);
/* Remove the signal. */
void pb_wake_take(int fd);

#endif /* PB_TRACE_WAKE_TAKE_H */
