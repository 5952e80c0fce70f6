/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An opened object: its maps and programs. */
#pragma once

#include "engine.h"
#include "map.h"
#include "verify.h"

#include <patchbay/bpf.h>

/* cell->data points to this. */
struct pb_bpf_attachment {
	const struct patchbay_bpf_program *program;
	uint64_t cookie;
};

/*
 * @kind, @multi, @target: from the name of the section; @target points into @section
 * @link, @attachments:    NULL if the program is not attached
 */
struct patchbay_bpf_program {
	char *name;
	char *section;
	enum patchbay_link_kind kind;
	int multi;
	const char *target;
	struct pb_bpf_uses uses;
	struct pb_bpf_machine machine;
	struct patchbay_link *link;
	struct pb_bpf_attachment *attachments;
};

struct patchbay_bpf_object {
	struct patchbay_bpf_map **maps;
	uint32_t nr_maps;
	struct patchbay_bpf_program *programs;
	uint32_t nr_programs;
};

/* Free a complete or a partial object. No program is attached. */
void pb_bpf_object_free(struct patchbay_bpf_object *object);

/* Call the log function of @opts, if there is one. Returns @error. */
int pb_bpf_log(const struct patchbay_bpf_opts *opts, const char *name,
	       int error, const char *reason);

/*
 * Fill in maps and programs. Returns 0; or a negative errno, after a call of the log. Sets the
 * counts and the names step by step, so that a partial object can be freed.
 */
int pb_bpf_read(struct patchbay_bpf_object *object, const void *bytes,
		size_t size, const struct patchbay_bpf_opts *opts);

/* Derive kind and target from @program->section. Returns -EINVAL for an unknown section. */
int pb_bpf_parse_section(struct patchbay_bpf_program *program);
