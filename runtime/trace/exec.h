/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Programs that a traced process starts find LD_PRELOAD in their environment. One that
 * this library is not for would not start, or its loader would complain: the loader of
 * musl relocates what it preloads by its own C library, glibc's prints a line for a
 * library of another class. And the runtime of AddressSanitizer ends a program in which
 * another library comes before it.
 *
 * So the functions that start programs are in this library, too. They look at the file,
 * and take this library out of LD_PRELOAD, or name the sanitizer before it. All else in
 * LD_PRELOAD stays as it is.
 *
 * Not seen are programs that are started by an instruction of the program's own, as Go
 * does. system(3) and popen(3) start a shell, which is of this system's C library.
 */
#ifndef PB_TRACE_EXEC_H
#define PB_TRACE_EXEC_H

/*
 * `patchbay record` names a sanitizer before this library for this program. A shell that
 * system(3) starts must not load it, so it is taken out of LD_PRELOAD in @envp, in place.
 */
void pb_exec_tidy(char *const envp[]);

/* execve(2) or execveat(2): the result, or -errno. */
long pb_exec_call(long number, const long arg[6]);

#endif /* PB_TRACE_EXEC_H */
