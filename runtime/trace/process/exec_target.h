/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads a program's file to find its loader and sanitizer. All functions are safe in a
 * child of vfork(2): they allocate no memory and do not change the parent's memory.
 */
#ifndef PB_TRACE_EXEC_TARGET_H
#define PB_TRACE_EXEC_TARGET_H

struct pb_exec_target {
	/*
	 * This library cannot be loaded, because the program has another class,
	 * architecture or loader than glibc's. 0 for static programs, which load no
	 * library.
	 */
	int is_foreign;
	/* The program has no loader. */
	int is_static;
	/* The plugin has compiled a part of the program, for this architecture. */
	int has_functions;
	/* The name of a sanitizer's runtime that must be loaded first, or "". */
	char first[64];
};

/*
 * Is @name, up to NUL or @end, the name of a sanitizer's runtime that must be loaded first?
 */
int pb_exec_is_first(const char *name, const char *end);

/*
 * Read the file that execveat(2) would execute or, for a script, its interpreter. An
 * unreadable file is not foreign.
 */
void pb_exec_look(int folder, const char *path, int flags,
		  struct pb_exec_target *target);

#endif /* PB_TRACE_EXEC_TARGET_H */
