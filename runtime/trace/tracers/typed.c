/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handlers of tracers with typed=. The handlers read arguments when a call begins, because
 * the memory may change later, and record the arguments when the call ends.
 *
 * Memory behind pointers is read by pb_peek(), stack arguments directly.
 */
#include "context.h"
#include "functions/typed_program.h"
#include "peek.h"
#include "session/recording.h"
#include "session/session.h"
#include "threads/captures.h"
#include "threads/ring.h"
#include "tracers.h"
#include "watched_call.h"
#include "why.h"

#include <floats.h>

#include <patchbay/args.h>
#include <patchbay/exit.h>

/* Session word of a call that is left out; otherwise the word is a time. */
#define LEFT_OUT 0

/*
 * The destination of a call's values, which are pairs of a word and a detail: the array
 * @words or, if @words is NULL, the ring. @words is never on the stack, because some
 * programs have fibers with stacks of 4 KB.
 */
struct found {
	uint64_t *words;
	unsigned int nr;
	uint64_t function;
	uintptr_t frame;
};

static void record(uint64_t word, uint64_t beside, uint64_t function,
		   uintptr_t frame)
{
	pb_ring_record(word, PBD_TYPED, frame, PBD_RECORD_ENTRY,
		       beside | (uint32_t)function);
}

static __attribute__((noinline)) void
add(struct found *found, const struct pb_typed_value *value, unsigned int part,
    uint64_t word, unsigned int state)
{
	const uint64_t beside =
		((uint64_t)value->value << PBD_TYPED_VALUE_SHIFT) |
		(uint64_t)part << PBD_TYPED_PART_SHIFT |
		(uint64_t)state << PBD_TYPED_STATE_SHIFT;

	if (!found->words) {
		record(word, beside, found->function, found->frame);
		return;
	}
	found->words[found->nr++] = word;
	found->words[found->nr++] = beside;
}

/*===-- Memory -----------------------------------------------------------===*/

static unsigned int why_unreadable(long error)
{
	return error == -EPERM || error == -ENOSYS ? PBD_TYPED_FILTERED :
						     PBD_TYPED_UNREADABLE;
}

/* Load a number from memory. Returns 0, or the reason for a failure (enum pbd_typed). */
static unsigned int load(uint64_t base, uint32_t offset, size_t size,
			 uint64_t *value)
{
	long result;

	*value = 0;
	if (!base)
		return PBD_TYPED_NULL;
	result = pb_peek(base + offset, value, size);
	return result == (long)size ? 0 : why_unreadable(result);
}

/*===-- Values -----------------------------------------------------------===*/

static uint64_t in_register(const struct pb_typed_place *at,
			    struct patchbay_regs *regs)
{
	switch (at->source) {
	case PB_SOURCE_GP:
		return *patchbay_regs_gp(regs, at->index);
	case PB_SOURCE_FP:
		return pb_float_argument(at->index);
	case PB_SOURCE_STACK:
		return *((uint64_t *)(patchbay_regs_sp(regs) +
				      PATCHBAY_ARG_STACK) +
			 at->index);
	case PB_SOURCE_RESULT_GP:
		return *patchbay_result_gp(regs, at->index);
	default:
		return *patchbay_result_fp(regs, at->index);
	}
}

static inline int is_string(const struct pb_typed_value *value)
{
	return value->kind == 'S' || value->kind == 'L';
}

/* Is the value an object in memory, whose address is needed? */
static inline int is_object(const struct pb_typed_value *value)
{
	return is_string(value) || value->kind == 't';
}

static inline int is_text(const struct pb_typed_value *value)
{
	return value->kind == 's' || value->kind == 'v' || is_object(value);
}

/* Is the length of the string stored? Other strings end with NUL, or with their array. */
static inline int has_length(const struct pb_typed_value *value)
{
	return value->kind == 'v' || is_string(value);
}

/* Find a number of @size bytes or, if @size is 0, an address. Returns 0 or a reason. */
static unsigned int find_at(const struct pb_typed_place *at, size_t size,
			    struct patchbay_regs *regs, uint64_t *found)
{
	unsigned int why = 0;

	*found = in_register(at, regs);
	for (unsigned int i = 0; i < at->nr_steps && !why; i++) {
		const int is_last = i + 1 == at->nr_steps;

		if (is_last && !size) {
			if (!*found)
				return PBD_TYPED_NULL;
			*found += at->step[i];
			return 0;
		}
		why = load(*found, at->step[i], is_last ? size : 8, found);
	}
	return why;
}

/* Find the number or, for a string, the address. */
static unsigned int find_number(const struct pb_typed_value *value,
				struct patchbay_regs *regs, uint64_t *found)
{
	return find_at(&value->at, is_object(value) ? 0 : value->size, regs,
		       found);
}

/*
 * Find the bytes and the length of a string. libstdc++'s std::string begins with pointer
 * and length. In libc++'s default layout, if the lowest bit of the first byte is 1, the
 * object consists of capacity, length and pointer. Otherwise the rest of the first byte is
 * the length, and the bytes follow. The length of a std::string_view is at @length_at.
 */
static unsigned int find_string(const struct pb_typed_value *value,
				struct patchbay_regs *regs, uint64_t *address,
				uint64_t *length)
{
	uint64_t object[3] = { 0 };
	const size_t size = value->kind == 'S' ? 16 : 24;
	long result;

	if (value->kind == 'v')
		return find_at(&value->length_at, 8, regs, length);
	if (!*address)
		return PBD_TYPED_NULL;
	result = pb_peek(*address, object, size);
	if (result != (long)size)
		return why_unreadable(result);
	if (value->kind == 'S') {
		*address = object[0];
		*length = object[1];
	} else if (object[0] & 1) {
		*address = object[2];
		*length = object[1];
	} else {
		*address += 1;
		*length = (object[0] & 255) >> 1;
	}
	return 0;
}

/*
 * Read up to PB_TYPED_TEXT bytes of a string. Returns 0 or a reason. Sets *@state to
 * PBD_TYPED_LAST, or to PBD_TYPED_CUT if more bytes follow.
 */
static unsigned int read_text(const struct pb_typed_value *value,
			      struct patchbay_regs *regs, uint64_t address,
			      char *text, size_t *length, unsigned int *state)
{
	uint64_t size = value->kind == 't' ? value->size : PB_TYPED_TEXT;
	const uint64_t most = size;
	unsigned int why;
	char next;
	long result;

	*state = PBD_TYPED_CUT;
	*length = 0;
	if (has_length(value)) {
		why = find_string(value, regs, &address, &size);
		if (why)
			return why;
		if (size <= PB_TYPED_TEXT)
			*state = PBD_TYPED_LAST;
		else
			size = PB_TYPED_TEXT;
		/* The pointer of an empty string_view may be NULL. */
		if (!size)
			return 0;
	}
	if (!address)
		return PBD_TYPED_NULL;
	result = pb_peek(address, text, size);
	/* The string is complete if the byte after the maximum is NUL. */
	if (value->kind == 's' && result == (long)size &&
	    pb_peek(address + size, &next, 1) == 1 && !next)
		*state = PBD_TYPED_LAST;
	if (result <= 0 || (has_length(value) && result != (long)size))
		return why_unreadable(result);
	*length = (size_t)result;
	if (has_length(value))
		return 0;
	for (size_t i = 0; i < (size_t)result; i++) {
		if (text[i])
			continue;
		*length = i;
		*state = PBD_TYPED_LAST;
		return 0;
	}
	/* A string without NUL continues in unmapped memory. */
	if (result < (long)most)
		return PBD_TYPED_UNREADABLE;
	/* An array may lack NUL. */
	if (value->kind == 't' && most < PB_TYPED_TEXT)
		*state = PBD_TYPED_LAST;
	return 0;
}

static __attribute__((noinline)) void
add_text(struct found *found, const struct pb_typed_value *value,
	 struct patchbay_regs *regs, uint64_t address)
{
	uint64_t words[PB_TYPED_TEXT / 8];
	unsigned int state, why, part = 0;
	size_t length;

	for (size_t i = 0; i < PB_TYPED_TEXT / 8; i++)
		words[i] = 0;
	why = read_text(value, regs, address, (char *)words, &length, &state);
	if (why) {
		add(found, value, 0, address, why);
		return;
	}
	for (; length > 8; length -= 8, part++)
		add(found, value, part, words[part], 8);
	add(found, value, part, words[part], (unsigned int)length | state);
}

static void add_value(struct found *found, const struct pb_typed_value *value,
		      struct patchbay_regs *regs)
{
	uint64_t number;
	unsigned int why = find_number(value, regs, &number);

	if (why)
		add(found, value, 0, 0, why);
	else if (is_text(value))
		add_text(found, value, regs, number);
	else
		add(found, value, 0, number, PBD_TYPED_NUMBER);
}

static inline int is_of_result(const struct pb_typed_value *value)
{
	return value->at.source >= PB_SOURCE_RESULT_GP;
}

/*===-- Conditions -------------------------------------------------------===*/

/*
 * Convert the bits of a floating-point number to an integer with the same order. (The bits
 * of negative numbers, as integers, have the reverse order.)
 */
static inline int64_t in_order(int64_t bits)
{
	return bits < 0 ? (int64_t)((uint64_t)INT64_MIN - (uint64_t)bits) : bits;
}

static inline int is_nan(const struct pb_typed_value *value, uint64_t bits)
{
	return value->kind == 'd' ? bits << 1 > UINT64_C(0x7ff) << 53 :
				    (uint32_t)(bits << 1) > UINT32_C(0xff) << 24;
}

static inline int holds_for(enum pb_typed_compare compare, int less, int equal)
{
	switch (compare) {
	case PB_COMPARE_EQ:
		return equal;
	case PB_COMPARE_NE:
		return !equal;
	case PB_COMPARE_LT:
		return less;
	case PB_COMPARE_LE:
		return less || equal;
	case PB_COMPARE_GT:
		return !less && !equal;
	default:
		return !less;
	}
}

static int holds_for_number(const struct pb_typed_value *value, uint64_t number)
{
	const unsigned int unused = 64 - 8 * value->size;
	int64_t left, right = value->number;

	if (value->kind == 'd' || value->kind == 'f') {
		if (is_nan(value, number))
			return value->compare == PB_COMPARE_NE;
		left = in_order(value->kind == 'd' ? (int64_t)number :
						     (int32_t)number * (INT64_C(1) << 32));
		right = in_order(right);
	} else if (value->is_signed) {
		left = (int64_t)(number << unused) >> unused;
	} else {
		number = number << unused >> unused;
		return holds_for(value->compare, number < (uint64_t)right,
				 number == (uint64_t)right);
	}
	return holds_for(value->compare, left < right, left == right);
}

static __attribute__((noinline)) int
holds_for_text(const struct pb_typed_value *value, struct patchbay_regs *regs,
	       uint64_t address)
{
	char text[PB_TYPED_TEXT];
	unsigned int state;
	size_t length;
	int equal;

	if (read_text(value, regs, address, text, &length, &state))
		return 1;
	equal = length == value->length &&
		(state == PBD_TYPED_LAST || value->kind == 't');
	for (size_t i = 0; i < length && equal; i++)
		equal = text[i] == value->text[i];
	return equal == (value->compare == PB_COMPARE_EQ);
}

/* Does the condition hold? Returns 1 if the value is unreadable. */
static inline int holds(const struct pb_typed_value *value,
			struct patchbay_regs *regs)
{
	uint64_t number;

	if (find_number(value, regs, &number))
		return 1;
	return is_text(value) ? holds_for_text(value, regs, number) :
				holds_for_number(value, number);
}

/*
 * Do all conditions on arguments hold? If @of_result: all conditions on the result? If not,
 * counts the call as left out.
 */
static inline int all_hold(const struct pb_typed *typed,
			   struct patchbay_regs *regs, int of_result)
{
	const struct pb_typed_program *program = typed->program;

	for (unsigned int i = 0; program && i < program->nr; i++) {
		const struct pb_typed_value *value = &program->value[i];

		if (!value->compare || is_of_result(value) != of_result ||
		    holds(value, regs))
			continue;
		__atomic_fetch_add(typed->left_out, 1, __ATOMIC_RELAXED);
		return 0;
	}
	return 1;
}

/*===-- Handlers ---------------------------------------------------------===*/

static void add_values(struct found *found, const struct pb_typed *typed,
		       struct patchbay_regs *regs, int of_result)
{
	const struct pb_typed_program *program = typed->program;

	for (unsigned int i = 0; program && i < program->nr; i++) {
		const struct pb_typed_value *value = &program->value[i];

		if (!value->compare && is_of_result(value) == of_result)
			add_value(found, value, regs);
	}
}

static inline uint64_t number_of(const struct pb_typed *typed, uintptr_t ip)
{
	return typed->number + ip;
}

PB_HANDLER(pb_typed_entry)
{
	const struct pb_typed *typed = cell->data;
	const uint64_t function = number_of(typed, ip);
	struct found found = { NULL, 0, function, (uintptr_t)regs };

	if (!__atomic_load_n(&pb_recording, __ATOMIC_RELAXED) ||
	    !all_hold(typed, regs, 0))
		return;
	add_values(&found, typed, regs, 0);
	if (pb_context_wanted)
		pb_context_record(function, cell, regs);
	pb_ring_record(patchbay_clock(), function, (uintptr_t)regs,
		       PBD_RECORD_ENTRY, parent_ip);
}

/* Returns the maximum number of words for the arguments. */
static size_t count_words(const struct pb_typed *typed)
{
	const struct pb_typed_program *program = typed->program;
	size_t nr = 0;

	for (unsigned int i = 0; program && i < program->nr; i++)
		if (!program->value[i].compare && !is_of_result(&program->value[i]))
			nr += 2 * (is_text(&program->value[i]) ?
					   PB_TYPED_TEXT / 8 + 1 :
					   1);
	return nr;
}

static void keep(const struct pb_typed *typed, uint64_t function,
		 struct patchbay_regs *regs)
{
	const size_t most = count_words(typed);
	struct found found = { .frame = (uintptr_t)regs };

	found.words = pb_captures_keep((uintptr_t)regs, function, most);
	if (!found.words)
		return;
	add_values(&found, typed, regs, 0);
	pb_captures_trim(found.words, most, found.nr);
}

/* Begin a call. Returns 1 if the call may be recorded. */
static inline int begin_call(uintptr_t ip, const struct patchbay_cell *cell,
			     struct patchbay_regs *regs)
{
	const struct pb_typed *typed = cell->data;

	if (!__atomic_load_n(&pb_recording, __ATOMIC_RELAXED) ||
	    !all_hold(typed, regs, 0)) {
		*patchbay_session_word(cell, regs) = LEFT_OUT;
		patchbay_forgo_exit(regs);
		return 0;
	}
	keep(typed, number_of(typed, ip), regs);
	*patchbay_session_word(cell, regs) = patchbay_clock();
	return 1;
}

PB_HANDLER(pb_typed_duration_entry)
{
	begin_call(ip, cell, regs);
}

PB_HANDLER(pb_typed_graph_entry)
{
	if (begin_call(ip, cell, regs) &&
	    !__atomic_load_n(&pb_threshold, __ATOMIC_RELAXED))
		pb_ring_record(*patchbay_session_word(cell, regs),
			       number_of(cell->data, ip), (uintptr_t)regs,
			       PBD_RECORD_ENTRY, parent_ip);
}

/* There was no space to keep the arguments: record each argument as unknown. */
static void record_unknown(struct found *found, const struct pb_typed *typed)
{
	const struct pb_typed_program *program = typed->program;

	for (unsigned int i = 0; program && i < program->nr; i++)
		if (!program->value[i].compare &&
		    !is_of_result(&program->value[i]))
			add(found, &program->value[i], 0, 0, PBD_TYPED_NO_ROOM);
}

/* Is the call shorter than the threshold? Returns 0 for marks while recording is on. */
static inline int is_too_short(const struct pb_typed *typed, uint64_t duration)
{
	return duration < __atomic_load_n(&pb_threshold, __ATOMIC_RELAXED) &&
	       (!typed->program || !typed->program->is_mark ||
		!__atomic_load_n(&pb_recording, __ATOMIC_RELAXED));
}

PB_HANDLER(pb_typed_exit)
{
	const struct pb_typed *typed = cell->data;
	const uint64_t function = number_of(typed, ip);
	const uint64_t start = *patchbay_session_word(cell, regs);
	const int unwound = patchbay_exit_reason(regs) & PATCHBAY_EXIT_UNWIND;
	struct found found = { NULL, 0, function, (uintptr_t)regs };
	enum pbd_record_kind kind = PBD_RECORD_CALL;
	const uint64_t *words;
	uint64_t duration, ticks;
	size_t nr = 0;

	if (start == LEFT_OUT)
		return;
	duration = patchbay_ticks(start, patchbay_clock());
	words = pb_captures_take((uintptr_t)regs, function, &nr);
	if (is_too_short(typed, duration) ||
	    (!unwound && !all_hold(typed, regs, 1)))
		return;
	pb_watch_call(duration);
	ticks = duration;
	if (duration > PBD_DETAIL_MAX)
		duration = PBD_DETAIL_MAX;
	if (words)
		for (size_t i = 0; i < nr; i += 2)
			record(words[i], words[i + 1], function, (uintptr_t)regs);
	else
		record_unknown(&found, typed);
	if (unwound) {
		kind = PBD_RECORD_UNWOUND;
		if (patchbay_exit_reason(regs) & PATCHBAY_EXIT_JUMP)
			pb_ring_record(0, PBD_JUMPED, (uintptr_t)regs,
				       PBD_RECORD_ENTRY, function);
	} else {
		add_values(&found, typed, regs, 1);
	}
	if (pb_context_wanted)
		pb_context_record(function, cell, regs);
	if (pb_why_is_wanted(ticks))
		pb_why_record(function, parent_ip, regs, ticks);
	pb_ring_record(start, function, (uintptr_t)regs, kind, duration);
}
