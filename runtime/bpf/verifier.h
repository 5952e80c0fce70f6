/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the verifier's files: the state of the verifier at one instruction. */
#pragma once

#include "flow.h"
#include "state.h"
#include "verify.h"

/*
 * @before:    the state before each reachable instruction
 * @is_led_to: marks the reachable instructions
 * @now:       the state at the instruction @index
 */
struct pb_bpf_verifier {
	const struct pb_bpf_code *code;
	struct pb_bpf_uses *uses;
	struct pb_bpf_state *before;
	uint8_t is_led_to[PB_BPF_INSNS_MAX];
	struct pb_bpf_state now;
	uint32_t index;
};

static inline const struct patchbay_bpf_map *pb_bpf_map_of(
	const struct pb_bpf_verifier *v, const struct pb_bpf_val *val)
{
	return v->code->maps[val->of];
}

/* The functions below return NULL, or a description of the fault. */

const char *pb_bpf_check_defined(const struct pb_bpf_val *val);

/* Check that @size bytes may be read at the address @val plus @offset. */
const char *pb_bpf_check_read(struct pb_bpf_verifier *v,
			      const struct pb_bpf_val *val, int64_t offset,
			      uint32_t size);

/* Like pb_bpf_check_read(), for writing. @what: the value to write. */
const char *pb_bpf_check_write(struct pb_bpf_verifier *v,
			       const struct pb_bpf_val *val, int64_t offset,
			       uint32_t size, const struct pb_bpf_val *what);

/* Check an instruction of this kind, and apply it to @v->now. */
const char *pb_bpf_verify_load(struct pb_bpf_verifier *v,
			       const struct bpf_insn *insn);
const char *pb_bpf_verify_store(struct pb_bpf_verifier *v,
				const struct bpf_insn *insn);
const char *pb_bpf_verify_atomic(struct pb_bpf_verifier *v,
				 const struct bpf_insn *insn);
const char *pb_bpf_verify_arithmetic(struct pb_bpf_verifier *v,
				     const struct bpf_insn *insn);
const char *pb_bpf_verify_wide(struct pb_bpf_verifier *v,
			       const struct bpf_insn *insn);
const char *pb_bpf_verify_call(struct pb_bpf_verifier *v,
			       const struct bpf_insn *insn);
