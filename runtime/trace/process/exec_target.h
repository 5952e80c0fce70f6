/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads a program's file to find out how it will be loaded. All functions are
 * safe in a child of vfork(2): they allocate nothing and change nothing of the
 * parent's memory.
 */
#ifndef PB_TRACE_EXEC_TARGET_H
#define PB_TRACE_EXEC_TARGET_H

struct pb_exec_target {
	/*
	 * The program has another class or architecture, or its loader is not
	 * glibc's, so this library cannot be loaded there. Not set for static
	 * programs, which load no library.
	 */
	int is_foreign;
	/* The name of a sanitizer's runtime that must be loaded first, or "". */
	char first[64];
};

/* Is @name, up to NUL or @end, the name of such a runtime? */
int pb_exec_is_first(const char *name, const char *end);

/*
 * Read @path, as execveat(2) finds it, or its interpreter if it is a script. A
 * file that cannot be read is not foreign.
 */
void pb_exec_look(int folder, const char *path, int flags,
		  struct pb_exec_target *target);

#endif /* PB_TRACE_EXEC_TARGET_H */
