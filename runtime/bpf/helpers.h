/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that programs may call, and their description for the verifier. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The kinds of arguments of helpers.
 * @PB_BPF_ARG_NONE:     no argument, and none after it
 * @PB_BPF_ARG_ANY:      a number
 * @PB_BPF_ARG_CONTEXT:  the program's context
 * @PB_BPF_ARG_TABLE:    a map that is an array or a hash
 * @PB_BPF_ARG_WRITABLE: such a map, if programs may write to its values
 * @PB_BPF_ARG_RING:     a map that is a ring buffer
 * @PB_BPF_ARG_KEY:      memory to read, of the size of the map's key
 * @PB_BPF_ARG_VALUE:    memory to read, of the size of the map's value
 * @PB_BPF_ARG_IN:       memory to read; the next argument is its size
 * @PB_BPF_ARG_OUT:      memory to write; the next argument is its size
 * @PB_BPF_ARG_OUT_WORD: 8 bytes of memory to write
 * @PB_BPF_ARG_SIZE:     a known number above 0
 * @PB_BPF_ARG_RECORD:   a result of bpf_ringbuf_reserve()
 */
enum pb_bpf_arg {
	PB_BPF_ARG_NONE,
	PB_BPF_ARG_ANY,
	PB_BPF_ARG_CONTEXT,
	PB_BPF_ARG_TABLE,
	PB_BPF_ARG_WRITABLE,
	PB_BPF_ARG_RING,
	PB_BPF_ARG_KEY,
	PB_BPF_ARG_VALUE,
	PB_BPF_ARG_IN,
	PB_BPF_ARG_OUT,
	PB_BPF_ARG_OUT_WORD,
	PB_BPF_ARG_SIZE,
	PB_BPF_ARG_RECORD,
};

/*
 * The result of a helper: a number; or the address of a value of the map, or of a record of the
 * ring, or NULL.
 */
enum pb_bpf_result {
	PB_BPF_GIVES_NUMBER,
	PB_BPF_GIVES_VALUE,
	PB_BPF_GIVES_RECORD,
};

/* A flag of a helper that may use vector registers. */
#define PB_BPF_VECTORS 1u

#define PB_BPF_HELPER_ARGS 5

struct pb_bpf_helper {
	uint32_t id; /* of enum bpf_func_id */
	unsigned int flags;
	enum pb_bpf_arg args[PB_BPF_HELPER_ARGS];
	enum pb_bpf_result result;
	uint64_t (*function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
};

extern const struct pb_bpf_helper pb_bpf_helpers[];
extern const size_t pb_bpf_nr_helpers;

/* Returns NULL if there is no helper with this id. */
const struct pb_bpf_helper *pb_bpf_find_helper(uint32_t id);
