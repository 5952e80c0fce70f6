/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The thread that listens for clients (control.h). The thread answers only clients that
 * have proven that they may ptrace this process. start/live_part.h declares the functions
 * that start and end the thread.
 */
#ifndef PB_TRACE_LISTEN_H
#define PB_TRACE_LISTEN_H

/* The time limit for a client to accept data. */
#define PB_PATIENCE_SECONDS 2

/* Can clients connect? Meaningful after pb_listen_start(1). */
int pb_listens(void);

#endif /* PB_TRACE_LISTEN_H */
