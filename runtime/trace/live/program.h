/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program of `patchbay attach`, from a shared object (program_so.c) or a BPF
 * object (program_bpf.c).
 */
#ifndef PB_TRACE_PROGRAM_H
#define PB_TRACE_PROGRAM_H

#include <patchbay/link.h>

/*
 * A request. @client gets the messages, and has opened @file. @path is the client's
 * name of the file.
 */
struct pb_program_request {
	int client;
	int file;
	const char *kind, *path, *symbol;
	struct patchbay_filter filter; /* not used for BPF */
	unsigned int flags; /* PATCHBAY_LINK_* */
	unsigned int nr_said;
};

/*
 * @handle: from dlopen(3)
 * @object: for BPF
 */
struct pb_attached_program {
	struct patchbay_link *link;
	void *handle;
	struct patchbay_bpf_object *object;
};

/*
 * Both return the number of functions. On error they have told the client why,
 * and return a negative errno.
 */
int pb_program_attach_so(struct pb_program_request *request,
			 struct pb_attached_program *program);
int pb_program_attach_bpf(struct pb_program_request *request,
			  struct pb_attached_program *program);

/* Send the client the new contents of the programs' ring buffers. */
void pb_program_tell_records(int client,
			     const struct pb_attached_program *program);

/* Send the client the contents of the maps. */
void pb_program_tell_maps(int client,
			  const struct pb_attached_program *program);

/*
 * Detach the program. Returns 0 if it is detached and no thread is in it, or a
 * negative errno of patchbay_link_detach().
 */
int pb_program_leave(struct pb_attached_program *program);
/* The part of pb_program_leave() for BPF. */
int pb_program_leave_bpf(struct pb_attached_program *program);

/* Free the program, after pb_program_leave() has returned 0. */
void pb_program_free(struct pb_attached_program *program);
void pb_program_free_bpf(struct pb_attached_program *program);

/* Send a line to the client. Waits a limited time if the client is slow. */
void pb_say(int client, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As in struct patchbay_link_opts; @arg is the request. */
void pb_program_log(void *arg, const char *name, uintptr_t entry, int error,
		    const char *reason);

#endif /* PB_TRACE_PROGRAM_H */
