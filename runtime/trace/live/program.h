/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program of `patchbay attach`, from a shared object (program_so.c) or a BPF
 * object (program_bpf.c).
 */
#ifndef PB_TRACE_PROGRAM_H
#define PB_TRACE_PROGRAM_H

#include <patchbay/link.h>

/*
 * A request to attach a program. @client receives messages and has opened @file. @path is
 * the client's name of the file, for messages.
 */
struct pb_program_request {
	int client;
	int file;
	const char *kind, *path, *symbol;
	struct patchbay_filter filter; /* unused for BPF */
	unsigned int flags; /* PATCHBAY_LINK_* */
	unsigned int nr_said;
};

/*
 * @handle: from dlopen(3)
 * @object: the BPF object; NULL for a shared object
 */
struct pb_attached_program {
	struct patchbay_link *link;
	void *handle;
	struct patchbay_bpf_object *object;
};

/*
 * Attach the program. Returns the number of functions. On error sends the client the
 * reason, and returns -errno.
 */
int pb_program_attach_so(struct pb_program_request *request,
			 struct pb_attached_program *program);
int pb_program_attach_bpf(struct pb_program_request *request,
			  struct pb_attached_program *program);

/* Send the client the new contents of the program's ring buffers. */
void pb_program_tell_records(int client,
			     const struct pb_attached_program *program);

/* Send the client the contents of the program's maps. */
void pb_program_tell_maps(int client,
			  const struct pb_attached_program *program);

/*
 * Detach the program. Returns 0 if no thread is in its code, or -errno of
 * patchbay_link_detach().
 */
int pb_program_leave(struct pb_attached_program *program);
/* pb_program_leave() for BPF objects. */
int pb_program_leave_bpf(struct pb_attached_program *program);

/* Free the program, after pb_program_leave() has returned 0. */
void pb_program_free(struct pb_attached_program *program);
void pb_program_free_bpf(struct pb_attached_program *program);

/* Send a line to the client. Waits a limited time if the client is slow. */
void pb_say(int client, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The @log of struct patchbay_link_opts. @arg is the struct pb_program_request. */
void pb_program_log(void *arg, const char *name, uintptr_t entry, int error,
		    const char *reason);

#endif /* PB_TRACE_PROGRAM_H */
