/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A traced process passes LD_PRELOAD on to the programs that it starts. Some of
 * them cannot load this library, and would not start, or would print a
 * complaint. musl's loader relocates preloaded libraries against its own C
 * library. glibc's loader prints a line for a library of another class. And
 * AddressSanitizer's runtime aborts a program in which another library comes
 * before it.
 *
 * So this library wraps the functions that start programs. The wrappers read
 * the program's file. They then remove this library from LD_PRELOAD, or put the
 * sanitizer before it. The rest of LD_PRELOAD stays unchanged.
 *
 * The wrappers do not see programs that are started by a system call
 * instruction of the program's own, as in Go. system(3) and popen(3) start a
 * shell, which uses this system's C library.
 */
#ifndef PB_TRACE_EXEC_H
#define PB_TRACE_EXEC_H

/*
 * `patchbay record` names a sanitizer before this library for this program
 * only. A shell that system(3) starts must not load it. So remove it from
 * LD_PRELOAD in @envp, in place.
 */
void pb_exec_tidy(char *const envp[]);

/* Carry out execve(2) or execveat(2). Returns the result or -errno. */
long pb_exec_call(long number, const long arg[6]);

#endif /* PB_TRACE_EXEC_H */
