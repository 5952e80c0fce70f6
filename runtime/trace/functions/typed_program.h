/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled strings of typed= (typed_spec.h), which handlers run. */
#ifndef PB_TRACE_TYPED_PROGRAM_H
#define PB_TRACE_TYPED_PROGRAM_H

#include "format/format.h"
#include "format/typed_spec.h"

#include <patchbay/patchbay.h>

enum pb_typed_source {
	PB_SOURCE_GP,
	PB_SOURCE_FP,
	PB_SOURCE_STACK,
	PB_SOURCE_RESULT_GP,
	PB_SOURCE_RESULT_FP,
};

enum pb_typed_compare {
	PB_COMPARE_NONE,
	PB_COMPARE_EQ,
	PB_COMPARE_NE,
	PB_COMPARE_LT,
	PB_COMPARE_LE,
	PB_COMPARE_GT,
	PB_COMPARE_GE,
};

/* A SOURCE of typed_spec.h, compiled. */
struct pb_typed_place {
	uint8_t source; /* enum pb_typed_source */
	uint8_t index;
	uint8_t nr_steps;
	uint32_t step[PB_TYPED_STEPS];
};

/*
 * @kind:      a letter of typed_spec.h
 * @size:      for numbers: the size in bytes
 * @is_signed: for numbers
 * @compare:   the comparison of a condition
 * @number:    the number to compare with
 * @text:      the string to compare with, of @length bytes
 * @value:     the number of the value in records; unused in conditions
 * @length_at: the source of a string_view's length
 */
struct pb_typed_value {
	char kind;
	uint8_t size;
	uint8_t is_signed;
	uint8_t compare; /* enum pb_typed_compare */
	uint8_t value;
	uint8_t length;
	struct pb_typed_place at, length_at;
	union {
		int64_t number;
		char text[PB_TYPED_TEXT];
	};
};

struct pb_typed_program {
	int is_mark; /* calls are recorded regardless of the threshold */
	unsigned int nr;
	struct pb_typed_value value[];
};

/*
 * cell->data of a function of typed=.
 * @number:   for pb_function_number()
 * @left_out: counts calls that do not meet a condition
 * @program:  NULL: the string is for a function of another file
 */
struct pb_typed {
	uintptr_t number;
	uint64_t *left_out;
	const struct pb_typed_program *program;
};

/* Compile the programs of pb_options.typed. Returns 0, -EINVAL or -ENOMEM. */
int pb_typed_init(void);
void pb_typed_forget(void);

/* Returns the symbols of the functions of typed=. */
const char *const *pb_typed_symbols(size_t *nr);

/*
 * Returns the string of a function in pb_options.typed, and sets *@program. Returns NULL if
 * the function has no string. @entry is an ELF address.
 */
const char *pb_typed_find(const struct patchbay_module_info *module,
			  uint64_t entry, const struct pb_typed_program **program);

#endif /* PB_TRACE_TYPED_PROGRAM_H */
