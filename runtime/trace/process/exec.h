/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The programs that a traced process starts inherit LD_PRELOAD. Some cannot
 * load this library:
 *
 * - musl's loader cannot relocate it against musl: the program does not start.
 * - glibc's loader prints a line for a library of another class.
 * - AddressSanitizer's runtime aborts if another library is loaded before it.
 *
 * So this library wraps the functions that start programs. The wrappers read
 * the program's file. They then remove this library from LD_PRELOAD, or put the
 * sanitizer before it. The rest of LD_PRELOAD stays unchanged.
 *
 * The wrappers do not see programs that are started by a system call
 * instruction of the program itself, as in Go. They need not see system(3)
 * and popen(3): the shell uses this system's C library.
 */
#ifndef PB_TRACE_EXEC_H
#define PB_TRACE_EXEC_H

/*
 * Remove a sanitizer before this library from LD_PRELOAD in @envp, in
 * place. `patchbay record` put it there for this program only; a shell that
 * system(3) starts must not load it.
 */
void pb_exec_tidy(char *const envp[]);

/* Carry out execve(2) or execveat(2). Returns the result or -errno. */
long pb_exec_call(long number, const long arg[6]);

#endif /* PB_TRACE_EXEC_H */
