/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the file of a program says of how it will be loaded. Everything here is safe in a
 * child of vfork(2): nothing is allocated, and nothing of the parent's is changed.
 */
#ifndef PB_TRACE_EXEC_TARGET_H
#define PB_TRACE_EXEC_TARGET_H

struct pb_exec_target {
	/*
	 * It is for another class or architecture, or its loader is not glibc's: this
	 * library cannot be loaded there. Not set for static programs, which load nothing.
	 */
	int is_foreign;
	/* The runtime of a sanitizer that insists on being loaded first; else empty. */
	char first[64];
};

/* Is @name, up to a NUL or @end, the name of such a runtime? */
int pb_exec_is_first(const char *name, const char *end);

/*
 * Look at @path, as execveat(2) finds it; at the interpreter if it is a script. What
 * cannot be read is taken for a program that this library fits.
 */
void pb_exec_look(int folder, const char *path, int flags,
		  struct pb_exec_target *target);

#endif /* PB_TRACE_EXEC_TARGET_H */
