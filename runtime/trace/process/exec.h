/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that a traced process starts inherit LD_PRELOAD. Some programs cannot load this
 * library:
 *
 * - musl's loader cannot relocate this library, so the program does not start.
 * - glibc's loader prints an error for a library of another class.
 * - AddressSanitizer's runtime aborts if another library is loaded before it.
 *
 * So this library wraps the functions that start programs. The wrappers read the program's
 * file, and then remove this library from LD_PRELOAD, or put the sanitizer before it. The
 * rest of LD_PRELOAD stays unchanged.
 *
 * The wrappers cannot see system call instructions of the program itself, as in Go.
 * Wrappers of system(3) and popen(3) are unnecessary, because the shell uses this system's
 * C library.
 */
#ifndef PB_TRACE_EXEC_H
#define PB_TRACE_EXEC_H

/*
 * Remove sanitizers before this library from LD_PRELOAD in @envp, in place. `patchbay
 * record` has put them there for this program only; a shell of system(3) must not load
 * them.
 */
void pb_exec_tidy(char *const envp[]);

/* Carry out execve(2) or execveat(2). Returns the result or -errno. */
long pb_exec_call(long number, const long arg[6]);

#endif /* PB_TRACE_EXEC_H */
