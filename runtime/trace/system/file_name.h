/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes names of files. Handlers may call these functions. */
#ifndef PB_TRACE_FILE_NAME_H
#define PB_TRACE_FILE_NAME_H

#include <limits.h>
#include <stdint.h>

/*
 * Sets @name to "OUTPUT/PID.NRSUFFIX" with the pid of this process, or "OUTPUT/PIDSUFFIX"
 * if @nr is 0. Returns 0 or -ENAMETOOLONG.
 */
int pb_file_name(char name[PATH_MAX], const char *output, unsigned int nr,
		 const char *suffix);

/*
 * Set @name to a path in /proc: of this thread's descriptor @fd, or of the name of thread
 * @tid.
 */
#define PB_FD_NAME_MAX 64
void pb_fd_name(char name[PB_FD_NAME_MAX], int fd);
void pb_comm_name(char name[PB_FD_NAME_MAX], uint32_t tid);

#endif /* PB_TRACE_FILE_NAME_H */
