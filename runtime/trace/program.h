/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program of `patchbay attach`: of a shared object (program_so.c) or of a BPF
 * object (program_bpf.c).
 */
#ifndef PB_TRACE_PROGRAM_H
#define PB_TRACE_PROGRAM_H

#include <patchbay/link.h>

/*
 * A request, and whom to tell what. @file is the program's, as the client has
 * opened it; @path is what the client calls it.
 */
struct pb_program_request {
	int client;
	int file;
	const char *kind, *path, *symbol;
	struct patchbay_filter filter; /* not of BPF */
	unsigned int flags; /* PATCHBAY_LINK_* */
	unsigned int nr_said;
};

/*
 * @handle: of dlopen(3)
 * @object: of BPF
 */
struct pb_attached_program {
	struct patchbay_link *link;
	void *handle;
	struct patchbay_bpf_object *object;
};

/* Both return the number of functions or a negative errno, having said why. */
int pb_program_attach_so(struct pb_program_request *request,
			 struct pb_attached_program *program);
int pb_program_attach_bpf(struct pb_program_request *request,
			  struct pb_attached_program *program);

/* What has come into ring buffers. */
void pb_program_tell_records(int client,
			     const struct pb_attached_program *program);

/* What is in maps. */
void pb_program_tell_maps(int client,
			  const struct pb_attached_program *program);

/*
 * Detach it. Returns 0, also if it is detached already, and nobody is in the program; or a
 * negative errno, of patchbay_link_detach().
 */
int pb_program_leave(struct pb_attached_program *program);
/* Of pb_program_leave(). */
int pb_program_leave_bpf(struct pb_attached_program *program);

/* After that has returned 0: what it takes. */
void pb_program_free(struct pb_attached_program *program);
void pb_program_free_bpf(struct pb_attached_program *program);

/* A line to the client. It may be slow, and is not waited for without end. */
void pb_say(int client, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As struct patchbay_link_opts has it; @arg is the request. */
void pb_program_log(void *arg, const char *name, uintptr_t entry, int error,
		    const char *reason);

#endif /* PB_TRACE_PROGRAM_H */
