/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PB_TRACE_HISTOGRAM_H
#define PB_TRACE_HISTOGRAM_H

struct pb_histogram_table;

/*
 * The thread that counted in it is gone: what it counted is for readers only. NULL
 * is no table. With the session's lock held.
 */
void pb_histogram_release(struct pb_histogram_table *of);

/*
 * For threads that begin when no system calls may be made: tables in advance,
 * for all functions there are. With the session's lock held. Returns 0 or -errno.
 */
int pb_histograms_make_spare(void);

/*
 * The recording is over: the tables stay their threads', empty; the file that they
 * lead to goes. NULL: none.
 */
void pb_histogram_forget(struct pb_histogram_table *of);

#endif /* PB_TRACE_HISTOGRAM_H */
