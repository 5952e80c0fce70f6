/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The strings of typed= (typed_spec.h) as programs. typed_program.c compiles them
 * when a tracer is armed on a function.
 */
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
 * @compare:   the comparison, if this is a condition
 * @number:    the number to compare with
 * @text:      or the string to compare with, of @length bytes
 * @value:     the number of the value in records, if it is no condition
 * @length_at: where the length of a string is, if not at the string's beginning
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
	int is_mark; /* the threshold drops none of its calls */
	unsigned int nr;
	struct pb_typed_value value[];
};

/*
 * cell->data of a function of typed=.
 * @number:   for pb_function_number(), as with other functions
 * @left_out: counts calls that do not meet a condition
 * @program:  NULL: the function's string was for another file
 */
struct pb_typed {
	uintptr_t number;
	uint64_t *left_out;
	const struct pb_typed_program *program;
};

/* Compile the programs of pb_options.typed. Returns 0, -EINVAL or -ENOMEM. */
int pb_typed_init(void);
void pb_typed_forget(void);

/* The names of the functions of typed=, as in symbol tables. */
const char *const *pb_typed_symbols(size_t *nr);

/*
 * Returns the string of a function in pb_options.typed, and its program. NULL: the function has
 * none. @entry is an ELF address.
 */
const char *pb_typed_find(const struct patchbay_module_info *module,
			  uint64_t entry, const struct pb_typed_program **program);

#endif /* PB_TRACE_TYPED_PROGRAM_H */
