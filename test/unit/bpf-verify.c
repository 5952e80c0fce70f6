/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The verifier refuses each program that would harm the process, with a message of its
 * own. For each of these programs, a similar valid one is accepted, so the reason for
 * the refusal is known.
 */
// REQUIRES: bpf
// DEFINE: %{from} = %patchbay_source/runtime/bpf
// RUN: %clang -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s %{from}/flow.c %{from}/hash.c %{from}/helpers.c %{from}/map.c %{from}/ringbuf.c %{from}/state.c %{from}/verify.c %{from}/verify_arithmetic.c %{from}/verify_call.c %{from}/verify_memory.c -I %patchbay_include -I %{from} -o %t
// RUN: %t | FileCheck %s
// CHECK: {{^}}failures: 0 of {{[1-9][0-9]+}}{{$}}

#include "context.h"
#include "flow.h"
#include "isa.h"
#include "verify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define INSN(c, d, s, o, i)                                                    \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s),       \
			    .off = (o), .imm = (i) })
#define MOV(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOVX(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV32X(d, s) INSN(BPF_ALU | BPF_MOV | BPF_X, d, s, 0, 0)
#define OP(o, d, i) INSN(BPF_ALU64 | (o) | BPF_K, d, 0, 0, i)
#define OPX(o, d, s) INSN(BPF_ALU64 | (o) | BPF_X, d, s, 0, 0)
#define LOAD(z, d, s, o) INSN(BPF_LDX | BPF_MEM | (z), d, s, o, 0)
#define STORE(z, d, o, i) INSN(BPF_ST | BPF_MEM | (z), d, 0, o, i)
#define STOREX(z, d, o, s) INSN(BPF_STX | BPF_MEM | (z), d, s, o, 0)
#define ATOMIC(z, d, o, s, i) INSN(BPF_STX | BPF_ATOMIC | (z), d, s, o, i)
#define JUMP(o) INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define JEQ(d, i, o) INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define JNE(d, i, o) INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, i)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define WIDE_(d, s, i, j)                                                      \
	INSN(BPF_LD | BPF_IMM | BPF_DW, d, s, 0, i), INSN(0, 0, 0, 0, j)
#define MAP(d, n) WIDE_(d, BPF_PSEUDO_MAP_IDX, n, 0)
#define DATA(d, n, o) WIDE_(d, BPF_PSEUDO_MAP_IDX_VALUE, n, o)

enum { ARRAY, HASH, RING, CONSTANT };

/* Sets r0 to the value of key 1 in the hash, or to NULL. r6 is the context. */
#define LOOKUP                                                                 \
	MOVX(6, 1), STORE(BPF_DW, 10, -8, 1), MOVX(2, 10), OP(BPF_ADD, 2, -8), \
		MAP(1, HASH), CALL(map_lookup_elem)
#define RESERVE                                                                \
	MAP(1, RING), MOV(2, 16), MOV(3, 0), CALL(ringbuf_reserve)
#define GOOD NULL

static const struct {
	const char *name;
	const char *reason; /* initial state */
	struct bpf_insn insns[32];
} cases[] = {
	{ "empty", GOOD, { MOV(0, 0), EXIT } },
	{ "lookup", GOOD,
	  { LOOKUP, JEQ(0, 0, 1), STORE(BPF_DW, 0, 8, 1), MOV(0, 0), EXIT } },
	{ "lookup, the other way", GOOD,
	  { LOOKUP, JNE(0, 0, 2), MOV(0, 0), EXIT, LOAD(BPF_W, 0, 0, 12),
	    EXIT } },
	{ "lookup by a copy", GOOD,
	  { LOOKUP, MOVX(7, 0), STOREX(BPF_DW, 10, -16, 0), JEQ(0, 0, 3),
	    LOAD(BPF_DW, 8, 10, -16), LOAD(BPF_B, 9, 8, 15),
	    LOAD(BPF_B, 9, 7, 0), MOV(0, 0), EXIT } },
	{ "lookup on one way, twice on the other", GOOD,
	  { LOOKUP, JNE(0, 0, 6), MOVX(2, 10), OP(BPF_ADD, 2, -8),
	    MAP(1, HASH), CALL(map_lookup_elem), JEQ(0, 0, 1),
	    STORE(BPF_DW, 0, 8, 1), MOV(0, 0), EXIT } },
	{ "record", GOOD,
	  { RESERVE, JEQ(0, 0, 4), STORE(BPF_DW, 0, 8, 1), MOVX(1, 0),
	    MOV(2, 0), CALL(ringbuf_submit), MOV(0, 0), EXIT } },
	{ "record, discarded on one way", GOOD,
	  { MOVX(6, 1), RESERVE, JEQ(0, 0, 7), LOAD(BPF_DW, 7, 6, 0),
	    MOVX(1, 0), MOV(2, 0), JEQ(7, 0, 2), CALL(ringbuf_submit), JUMP(1),
	    CALL(ringbuf_discard), MOV(0, 0), EXIT } },
	{ "global variable", GOOD,
	  { DATA(1, ARRAY, 8), STORE(BPF_DW, 1, 0, 1), LOAD(BPF_DW, 0, 1, -8),
	    EXIT } },
	{ "atomic", GOOD,
	  { DATA(1, ARRAY, 0), MOV(2, 1), ATOMIC(BPF_DW, 1, 8, 2, BPF_ADD),
	    ATOMIC(BPF_W, 1, 4, 2, BPF_ADD), MOV(0, 0), EXIT } },
	{ "argument", GOOD,
	  { MOVX(3, 10), OP(BPF_ADD, 3, -8), MOV(2, 0), CALL(get_func_arg),
	    LOAD(BPF_DW, 0, 10, -8), EXIT } },
	{ "words of the context", GOOD,
	  { LOAD(BPF_DW, 2, 1, 64), LOAD(BPF_W, 0, 1, 4), EXIT } },
	{ "record, divided by constants", GOOD,
	  { RESERVE, JEQ(0, 0, 9), MOV(3, 8), OP(BPF_DIV, 3, 2), MOV(4, 3),
	    OPX(BPF_MOD, 3, 4), STOREX(BPF_DW, 0, 0, 3), MOVX(1, 0), MOV(2, 0),
	    CALL(ringbuf_submit), JUMP(0), MOV(0, 0), EXIT } },
	{ "divided before a record is reserved", GOOD,
	  { LOAD(BPF_DW, 2, 1, 0), MOV(6, 8), OPX(BPF_DIV, 6, 2), RESERVE,
	    JEQ(0, 0, 3), MOVX(1, 0), MOV(2, 0), CALL(ringbuf_submit),
	    MOV(0, 0), EXIT } },
	{ "constant", GOOD, { DATA(1, CONSTANT, 0), LOAD(BPF_B, 0, 1, 15), EXIT } },

	{ "null", "access through a pointer that may be NULL",
	  { LOOKUP, LOAD(BPF_DW, 0, 0, 0), EXIT } },
	{ "null, written", "access through a pointer that may be NULL",
	  { LOOKUP, STORE(BPF_DW, 0, 0, 1), MOV(0, 0), EXIT } },
	{ "null on the wrong way", "access outside of the program's memory",
	  { LOOKUP, JNE(0, 0, 1), STORE(BPF_DW, 0, 0, 1), MOV(0, 0), EXIT } },
	{ "null after the ways have joined", "a register without a value",
	  { LOOKUP, JEQ(0, 0, 0), LOAD(BPF_DW, 0, 0, 0), EXIT } },
	{ "null with an offset", "arithmetic on a pointer that may be NULL",
	  { LOOKUP, OP(BPF_ADD, 0, 8), JEQ(0, 0, 1), STORE(BPF_B, 0, 0, 1),
	    MOV(0, 0), EXIT } },
	{ "null compared with 1", "access through a pointer that may be NULL",
	  { LOOKUP, JEQ(0, 1, 1), STORE(BPF_B, 0, 0, 1), MOV(0, 0), EXIT } },
	{ "null of another call", "access through a pointer that may be NULL",
	  { LOOKUP, MOVX(7, 0), MOVX(2, 10), OP(BPF_ADD, 2, -8), MAP(1, HASH),
	    CALL(map_lookup_elem), JEQ(0, 0, 1), STORE(BPF_B, 7, 0, 1),
	    MOV(0, 0), EXIT } },
	{ "null as memory", "access through a pointer that may be NULL",
	  { LOOKUP, MOVX(2, 0), MAP(1, HASH), CALL(map_lookup_elem), MOV(0, 0),
	    EXIT } },

	{ "behind a value", "an access outside of a map's value",
	  { LOOKUP, JEQ(0, 0, 1), STORE(BPF_B, 0, 16, 1), MOV(0, 0), EXIT } },
	{ "across a value's end", "an access outside of a map's value",
	  { LOOKUP, JEQ(0, 0, 1), STORE(BPF_DW, 0, 9, 1), MOV(0, 0), EXIT } },
	{ "before a value", "an access outside of a map's value",
	  { LOOKUP, JEQ(0, 0, 2), OP(BPF_ADD, 0, -8), STORE(BPF_DW, 0, 0, 1),
	    MOV(0, 0), EXIT } },
	{ "an index that is not known", "the offset from an address is not",
	  { LOOKUP, LOAD(BPF_DW, 7, 6, 0), OP(BPF_AND, 7, 7), JEQ(0, 0, 2),
	    OPX(BPF_ADD, 0, 7), STORE(BPF_B, 0, 0, 1), MOV(0, 0), EXIT } },
	{ "an offset that overflows", "the offset from an address is too",
	  { LOOKUP, JEQ(0, 0, 3), WIDE_(7, 0, 0, INT32_MIN),
	    OPX(BPF_ADD, 0, 7), MOV(0, 0), EXIT } },
	{ "offsets that overflow", "the offset from an address is too",
	  { LOOKUP, JEQ(0, 0, 2), OP(BPF_ADD, 0, INT32_MAX),
	    OP(BPF_ADD, 0, INT32_MAX), MOV(0, 0), EXIT } },
	{ "behind a global variable", "an access outside of a map's value",
	  { DATA(1, ARRAY, 16), LOAD(BPF_B, 0, 1, 0), EXIT } },
	{ "a variable of a hash", "an address in a map that is no array",
	  { DATA(1, HASH, 0), MOV(0, 0), EXIT } },
	{ "a constant, written", "a write to a constant",
	  { DATA(1, CONSTANT, 0), STORE(BPF_B, 1, 0, 1), MOV(0, 0), EXIT } },
	{ "a constant, looked up", GOOD,
	  { STORE(BPF_DW, 10, -16, 0), MOVX(2, 10), OP(BPF_ADD, 2, -16),
	    MAP(1, CONSTANT), CALL(map_lookup_elem), JEQ(0, 0, 1),
	    LOAD(BPF_DW, 0, 0, 0), MOV(0, 0), EXIT } },
	{ "a constant, looked up and written", "a write to a constant",
	  { STORE(BPF_DW, 10, -16, 0), MOVX(2, 10), OP(BPF_ADD, 2, -16),
	    MAP(1, CONSTANT), CALL(map_lookup_elem), JEQ(0, 0, 1),
	    STORE(BPF_DW, 0, 0, 1), MOV(0, 0), EXIT } },
	{ "a constant, updated", "a write to a constant",
	  { STORE(BPF_DW, 10, -16, 0), STORE(BPF_DW, 10, -8, 0), MOVX(2, 10),
	    OP(BPF_ADD, 2, -16), MOVX(3, 2), MOV(4, 0), MAP(1, CONSTANT),
	    CALL(map_update_elem), MOV(0, 0), EXIT } },
	{ "a constant, deleted", "a write to a constant",
	  { STORE(BPF_DW, 10, -16, 0), MOVX(2, 10), OP(BPF_ADD, 2, -16),
	    MAP(1, CONSTANT), CALL(map_delete_elem), MOV(0, 0), EXIT } },
	{ "a map's own memory", "access outside of the program's memory",
	  { MAP(1, HASH), LOAD(BPF_DW, 0, 1, 0), EXIT } },
	{ "behind a record", "an access outside of a record",
	  { RESERVE, JEQ(0, 0, 1), STORE(BPF_B, 0, 16, 1), MOV(0, 0), EXIT } },
	{ "a record's header", "an access outside of a record",
	  { RESERVE, JEQ(0, 0, 1), STORE(BPF_B, 0, -8, 1), MOV(0, 0), EXIT } },
	{ "a record that may be NULL", "access through a pointer that may be NULL",
	  { RESERVE, STORE(BPF_B, 0, 0, 1), MOV(0, 0), EXIT } },
	{ "a record after it was submitted", "a register without a value",
	  { RESERVE, JEQ(0, 0, 5), MOVX(7, 0), MOVX(1, 0), MOV(2, 0),
	    CALL(ringbuf_submit), STORE(BPF_B, 7, 0, 1), MOV(0, 0), EXIT } },
	{ "a record submitted twice", "a register without a value",
	  { RESERVE, JEQ(0, 0, 7), MOVX(7, 0), MOVX(1, 0), MOV(2, 0),
	    CALL(ringbuf_submit), MOVX(1, 7), MOV(2, 0), CALL(ringbuf_submit),
	    MOV(0, 0), EXIT } },
	{ "a record that is not submitted", "the program ends before it",
	  { RESERVE, JEQ(0, 0, 2), MOV(0, 0), EXIT, MOV(0, 0), EXIT } },
	{ "a record submitted on one way", "a record is submitted on one path",
	  { MOVX(6, 1), RESERVE, LOAD(BPF_DW, 7, 6, 0), JEQ(0, 0, 4),
	    JEQ(7, 0, 3), MOVX(1, 0), MOV(2, 0), CALL(ringbuf_submit),
	    MOV(0, 0), EXIT } },
	{ "a record, and a division by what may be 0", GOOD,
	  { LOAD(BPF_DW, 6, 1, 0), RESERVE, JEQ(0, 0, 5), MOV(3, 8),
	    OPX(BPF_DIV, 3, 6), MOVX(1, 0), MOV(2, 0), CALL(ringbuf_submit),
	    MOV(0, 0), EXIT } },
	{ "two records", "a second record is reserved",
	  { RESERVE, RESERVE, MOV(0, 0), EXIT } },
	{ "no record submitted", "the argument is not a record",
	  { MOVX(1, 10), MOV(2, 0), CALL(ringbuf_submit), MOV(0, 0), EXIT } },
	{ "the inside of a record submitted", "the argument is not a record",
	  { RESERVE, JEQ(0, 0, 4), MOVX(1, 0), OP(BPF_ADD, 1, 8), MOV(2, 0),
	    CALL(ringbuf_submit), MOV(0, 0), EXIT } },
	{ "a record of an unknown size", "the size is not a constant",
	  { LOAD(BPF_DW, 2, 1, 0), MAP(1, RING), MOV(3, 0),
	    CALL(ringbuf_reserve), MOV(0, 0), EXIT } },

	{ "wild pointer", "access outside of the program's memory",
	  { LOAD(BPF_DW, 2, 1, 0), LOAD(BPF_DW, 0, 2, 0), EXIT } },
	{ "wild pointer, written", "access outside of the program's memory",
	  { WIDE_(2, 0, 4096, 0), STORE(BPF_DW, 2, 0, 1), MOV(0, 0), EXIT } },
	{ "half of a spilled pointer overwritten",
	  "access outside of the program's memory",
	  { LOAD(BPF_DW, 3, 1, 0), DATA(2, ARRAY, 0),
	    STORE(BPF_DW, 10, -16, 0), STOREX(BPF_DW, 10, -8, 2),
	    STOREX(BPF_DW, 10, -12, 3), LOAD(BPF_DW, 4, 10, -8),
	    STORE(BPF_DW, 4, 0, 1), MOV(0, 0), EXIT } },
	{ "a byte of a spilled pointer overwritten",
	  "access outside of the program's memory",
	  { STOREX(BPF_DW, 10, -8, 10), STORE(BPF_B, 10, -7, 1),
	    LOAD(BPF_DW, 4, 10, -8), STORE(BPF_DW, 4, -8, 1), MOV(0, 0),
	    EXIT } },
	{ "a spilled pointer overwritten by a helper",
	  "access outside of the program's memory",
	  { STOREX(BPF_DW, 10, -8, 10), MOVX(3, 10), OP(BPF_ADD, 3, -8),
	    MOV(2, 0), CALL(get_func_arg), LOAD(BPF_DW, 4, 10, -8),
	    STORE(BPF_DW, 4, -16, 1), MOV(0, 0), EXIT } },
	{ "a pointer on one way only", "a register without a value",
	  { LOAD(BPF_DW, 2, 1, 0), JEQ(2, 0, 1), MOVX(2, 10),
	    STORE(BPF_DW, 2, -8, 1), MOV(0, 0), EXIT } },
	{ "another pointer on each way", "a register without a value",
	  { LOAD(BPF_DW, 3, 1, 0), MOVX(2, 10), JEQ(3, 0, 2),
	    DATA(2, ARRAY, 0), LOAD(BPF_DW, 0, 2, 0), EXIT } },
	{ "a spilled pointer on one way only", "access outside of the program's memory",
	  { STOREX(BPF_DW, 10, -8, 10), LOAD(BPF_DW, 3, 1, 0), JEQ(3, 0, 1),
	    STOREX(BPF_DW, 10, -8, 3), LOAD(BPF_DW, 2, 10, -8),
	    STORE(BPF_DW, 2, -16, 1), MOV(0, 0), EXIT } },
	{ "a pointer cut in half", "half of an address",
	  { MOV32X(2, 10), STORE(BPF_DW, 2, -8, 1), MOV(0, 0), EXIT } },
	{ "a pointer multiplied", "arithmetic on an address other than an",
	  { MOVX(2, 10), OP(BPF_MUL, 2, 2), MOV(0, 0), EXIT } },
	{ "pointers added", "arithmetic with an address",
	  { MOVX(2, 10), OPX(BPF_ADD, 2, 10), MOV(0, 0), EXIT } },
	{ "a number and a pointer", "arithmetic with an address",
	  { MOV(2, 8), OPX(BPF_ADD, 2, 10), MOV(0, 0), EXIT } },
	{ "a negated pointer", "arithmetic with an address",
	  { MOVX(2, 10), OP(BPF_NEG, 2, 0), MOV(0, 0), EXIT } },
	{ "a moved map", "arithmetic on an address that cannot be moved",
	  { MAP(1, HASH), OP(BPF_ADD, 1, 8), MOV(0, 0), EXIT } },

	{ "the context, written", "a write to the context",
	  { STORE(BPF_DW, 1, 0, 1), MOV(0, 0), EXIT } },
	{ "the context, added to", "a write to the context",
	  { MOV(2, 1), ATOMIC(BPF_DW, 1, 0, 2, BPF_ADD), MOV(0, 0), EXIT } },
	{ "the context, written by a helper", "a write to the context",
	  { MOVX(3, 1), MOV(2, 0), CALL(get_func_arg), MOV(0, 0), EXIT } },
	{ "behind the context", "the context is read outside",
	  { LOAD(BPF_DW, 0, 1, 72), EXIT } },
	{ "before the context", "the context is read outside",
	  { LOAD(BPF_DW, 0, 1, -8), EXIT } },
	{ "across words of the context", "the context is read across",
	  { LOAD(BPF_DW, 0, 1, 4), EXIT } },

	{ "huge stack", "an access outside of the stack",
	  { STORE(BPF_DW, 10, -520, 1), MOV(0, 0), EXIT } },
	{ "the caller's stack", "an access outside of the stack",
	  { STORE(BPF_DW, 10, 0, 1), MOV(0, 0), EXIT } },
	{ "across the stack's end", "an access outside of the stack",
	  { STORE(BPF_DW, 10, -4, 1), MOV(0, 0), EXIT } },
	{ "what was not written", "a read of the stack before",
	  { LOAD(BPF_B, 0, 10, -8), EXIT } },
	{ "half of it not written", "a read of the stack before",
	  { STORE(BPF_W, 10, -8, 0), LOAD(BPF_DW, 0, 10, -8), EXIT } },
	{ "written on one way", "a read of the stack before",
	  { LOAD(BPF_DW, 2, 1, 0), JEQ(2, 0, 1), STORE(BPF_DW, 10, -8, 0),
	    LOAD(BPF_DW, 0, 10, -8), EXIT } },
	{ "written on the first of two ways", "a read of the stack before",
	  { LOAD(BPF_DW, 2, 1, 0), JEQ(2, 0, 2), STORE(BPF_DW, 10, -8, 0),
	    JUMP(1), MOV(3, 0), LOAD(BPF_DW, 0, 10, -8), EXIT } },
	{ "written on the second of two ways", "a read of the stack before",
	  { LOAD(BPF_DW, 2, 1, 0), JEQ(2, 0, 2), MOV(3, 0), JUMP(1),
	    STORE(BPF_DW, 10, -8, 0), LOAD(BPF_DW, 0, 10, -8), EXIT } },
	{ "a key that was not written", "a read of the stack before",
	  { MOVX(2, 10), OP(BPF_ADD, 2, -8), MAP(1, HASH),
	    CALL(map_lookup_elem), MOV(0, 0), EXIT } },
	{ "a key at the stack's end", "an access outside of the stack",
	  { STORE(BPF_W, 10, -4, 0), MOVX(2, 10), OP(BPF_ADD, 2, -4),
	    MAP(1, HASH), CALL(map_lookup_elem), MOV(0, 0), EXIT } },
	{ "the frame pointer, written", "a write to the frame pointer",
	  { OP(BPF_ADD, 10, 8), MOV(0, 0), EXIT } },
	{ "the frame pointer, loaded", "a write to the frame pointer",
	  { LOAD(BPF_DW, 10, 1, 0), MOV(0, 0), EXIT } },
	{ "a register without a value", "a register without a value",
	  { MOVX(0, 7), EXIT } },
	{ "a register that a call took", "a register without a value",
	  { CALL(ktime_get_ns), MOVX(0, 1), EXIT } },
	{ "an unknown register", "an unknown register",
	  { MOV(11, 0), MOV(0, 0), EXIT } },
	{ "no result", "the program's result is not a number", { EXIT } },
	{ "an address as the result", "the program's result is not a number",
	  { MOVX(0, 10), EXIT } },

	{ "unknown helper", "unknown helper",
	  { CALL(probe_write_user), EXIT } },
	{ "helper 0", "unknown helper",
	  { CALL(unspec), EXIT } },
	{ "a function of the program", "a call of another function",
	  { INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 1), EXIT } },
	{ "a call by register", "an unknown instruction",
	  { INSN(BPF_JMP | BPF_CALL | BPF_X, 1, 0, 0, 1), EXIT } },
	{ "no map", "the argument is not a map",
	  { STORE(BPF_DW, 10, -8, 0), MOVX(2, 10), OP(BPF_ADD, 2, -8),
	    CALL(map_lookup_elem), MOV(0, 0), EXIT } },
	{ "an unknown map", "an unknown map",
	  { MAP(1, 4), MOV(0, 0), EXIT } },
	{ "a key in a ring", "the map is a ring buffer, which has no keys",
	  { STORE(BPF_DW, 10, -8, 0), MOVX(2, 10), OP(BPF_ADD, 2, -8),
	    MAP(1, RING), CALL(map_lookup_elem), MOV(0, 0), EXIT } },
	{ "a record in a hash", "the map is not a ring buffer",
	  { MAP(1, HASH), MOV(2, 8), MOV(3, 0), CALL(ringbuf_reserve),
	    MOV(0, 0), EXIT } },
	{ "a number as a context", "the argument is not the context",
	  { MOV(1, 0), CALL(get_func_ip), EXIT } },
	{ "a moved context", "the argument is not the context",
	  { OP(BPF_ADD, 1, 8), CALL(get_func_ip), EXIT } },
	{ "a helper writes outside", "an access outside of the stack",
	  { LOAD(BPF_DW, 3, 1, 0), MOVX(1, 10), OP(BPF_ADD, 1, -16),
	    MOV(2, 17), CALL(probe_read_user), EXIT } },
	{ "a helper writes to a constant", "a write to a constant",
	  { LOAD(BPF_DW, 3, 1, 0), DATA(1, CONSTANT, 0), MOV(2, 8),
	    CALL(probe_read_user), EXIT } },
	{ "a size of 0", "the size is not a constant",
	  { MOV(3, 0), MOVX(1, 10), MOV(2, 0), CALL(probe_read_user), EXIT } },
	{ "a negative size", "the size is not a constant",
	  { MOV(3, 0), MOVX(1, 10), MOV(2, -1), CALL(probe_read_user), EXIT } },
	{ "an address as a number", "an argument that is not a number",
	  { MOVX(3, 10), MOVX(1, 10), OP(BPF_ADD, 1, -8), MOV(2, 8),
	    CALL(probe_read_user), EXIT } },

	{ "endless loop", "a loop", { JUMP(-1) } },
	{ "loop with a way out", "a loop",
	  { LOAD(BPF_DW, 2, 1, 0), JEQ(2, 0, 2), OP(BPF_SUB, 2, 1), JUMP(-3),
	    MOV(0, 0), EXIT } },
	{ "out of the program", "a jump out of the program",
	  { MOV(0, 0), JUMP(2), EXIT } },
	{ "before the program", "a jump out of the program",
	  { MOV(0, 0), JUMP(-3), EXIT } },
	{ "into the middle", "a jump into the middle of an instruction",
	  { MOV(0, 0), JUMP(1), WIDE_(2, 0, 1, 1), EXIT } },
	{ "no end", "the program ends without an exit", { MOV(0, 0) } },
	{ "a call at the end", "the program ends without an exit",
	  { CALL(ktime_get_ns) } },
	{ "half of an instruction at the end", "a jump out of the program",
	  { INSN(BPF_LD | BPF_IMM | BPF_DW, 0, 0, 0, 0) } },
	{ "half of an instruction", "half of an instruction",
	  { INSN(BPF_LD | BPF_IMM | BPF_DW, 0, 0, 0, 0), EXIT, MOV(0, 0),
	    EXIT } },
	{ "what nothing leads to", "an unreachable instruction",
	  { MOV(0, 0), EXIT, CALL(unspec), EXIT } },

	{ "a packet", "access to packets",
	  { MOVX(6, 1), INSN(BPF_LD | BPF_ABS | BPF_W, 0, 0, 0, 0), EXIT } },
	{ "atomic and with a result", GOOD,
	  { DATA(1, ARRAY, 0), MOV(2, 1), MOV(0, 0),
	    ATOMIC(BPF_DW, 1, 0, 2, BPF_ADD | BPF_FETCH),
	    ATOMIC(BPF_W, 1, 4, 2, BPF_XCHG), ATOMIC(BPF_W, 1, 4, 2, BPF_CMPXCHG),
	    OPX(BPF_ADD, 0, 2), EXIT } },
	{ "atomic, of an unknown kind", "an unknown atomic operation",
	  { DATA(1, ARRAY, 0), MOV(2, 1), ATOMIC(BPF_DW, 1, 0, 2, BPF_SUB),
	    MOV(0, 0), EXIT } },
	{ "atomic, compared with an address",
	  "an atomic operation on a value that is not a number",
	  { DATA(1, ARRAY, 0), MOV(2, 1), MOVX(0, 10),
	    ATOMIC(BPF_DW, 1, 0, 2, BPF_CMPXCHG), MOV(0, 0), EXIT } },
	{ "atomic, compared with nothing",
	  "an atomic operation on a value that is not a number",
	  { DATA(1, ARRAY, 0), MOV(2, 1), ATOMIC(BPF_DW, 1, 0, 2, BPF_CMPXCHG),
	    EXIT } },
	{ "a number as an address, at the edge of numbers",
	  "access outside of the program's memory",
	  { WIDE_(2, 0, 0, INT32_MIN), LOAD(BPF_DW, 0, 2, -112), EXIT } },
	{ "atomic at a number, at the edge of numbers",
	  "access outside of the program's memory",
	  { WIDE_(2, 0, 0, INT32_MIN), MOV(3, 1),
	    ATOMIC(BPF_DW, 2, -112, 3, BPF_ADD), MOV(0, 0), EXIT } },
	{ "atomic, of a constant", "a write to a constant",
	  { DATA(1, CONSTANT, 0), MOV(2, 1),
	    ATOMIC(BPF_DW, 1, 0, 2, BPF_OR | BPF_FETCH), MOV(0, 0), EXIT } },
	{ "atomic, and the address is a number from then on",
	  "access outside of the program's memory",
	  { DATA(1, ARRAY, 0), MOV(2, 1), STOREX(BPF_DW, 10, -8, 1),
	    ATOMIC(BPF_DW, 10, -8, 2, BPF_XCHG), LOAD(BPF_DW, 0, 2, 0), EXIT } },
	{ "atomic of a byte", "an unknown atomic operation",
	  { DATA(1, ARRAY, 0), MOV(2, 1), ATOMIC(BPF_B, 1, 0, 2, BPF_ADD),
	    MOV(0, 0), EXIT } },
	{ "atomic, not aligned", "an atomic operation that is not aligned",
	  { DATA(1, ARRAY, 0), MOV(2, 1), ATOMIC(BPF_DW, 1, 4, 2, BPF_ADD),
	    MOV(0, 0), EXIT } },
	{ "atomic, outside", "an access outside of a map's value",
	  { DATA(1, ARRAY, 0), MOV(2, 1), ATOMIC(BPF_DW, 1, 16, 2, BPF_ADD),
	    MOV(0, 0), EXIT } },
	{ "atomic, of an address", "an atomic operation on a value that is "
				   "not a number",
	  { DATA(1, ARRAY, 0), ATOMIC(BPF_DW, 1, 0, 10, BPF_ADD), MOV(0, 0),
	    EXIT } },
	{ "atomic on a spilled pointer", "access outside of the program's memory",
	  { STOREX(BPF_DW, 10, -8, 10), MOV(2, 8),
	    ATOMIC(BPF_DW, 10, -8, 2, BPF_ADD), LOAD(BPF_DW, 3, 10, -8),
	    LOAD(BPF_DW, 0, 3, -16), EXIT } },
	{ "division by 0", "a division by 0",
	  { MOV(0, 1), OP(BPF_DIV, 0, 0), EXIT } },
	{ "division by itself", GOOD,
	  { LOAD(BPF_DW, 0, 1, 0), OPX(BPF_DIV, 0, 0), EXIT } },
	{ "remainder by itself", GOOD,
	  { LOAD(BPF_DW, 3, 1, 0), OPX(BPF_MOD, 3, 3), MOV(0, 0), EXIT } },
	{ "shift by itself", GOOD,
	  { LOAD(BPF_DW, 0, 1, 0), OPX(BPF_ARSH, 0, 0), EXIT } },
	{ "division of 32 bits", GOOD,
	  { LOAD(BPF_DW, 0, 1, 0), LOAD(BPF_DW, 2, 1, 8),
	    INSN(BPF_ALU | BPF_DIV | BPF_X, 2, 0, 0, 0), EXIT } },
	{ "division of 32 bits by a constant", GOOD,
	  { LOAD(BPF_DW, 0, 1, 0), INSN(BPF_ALU | BPF_DIV | BPF_K, 0, 0, 0, 3),
	    EXIT } },
	{ "shift by another register", GOOD,
	  { LOAD(BPF_DW, 0, 1, 0), LOAD(BPF_DW, 2, 1, 8), OPX(BPF_LSH, 0, 2),
	    EXIT } },
	{ "a jump by bits of a constant", GOOD,
	  { LOAD(BPF_DW, 0, 1, 0), INSN(BPF_JMP | BPF_JSET | BPF_K, 0, 0, 0, 4),
	    EXIT } },
	{ "a jump by bits of a register", GOOD,
	  { LOAD(BPF_DW, 0, 1, 0), INSN(BPF_JMP | BPF_JSET | BPF_X, 0, 1, 0, 0),
	    EXIT } },
	{ "a signed shift of 32 bits", GOOD,
	  { LOAD(BPF_DW, 0, 1, 0), INSN(BPF_ALU | BPF_ARSH | BPF_K, 0, 0, 0, 3),
	    EXIT } },
	{ "a register in a move of a constant", "unused fields",
	  { INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 1, 0, 0), EXIT } },
	{ "a constant in a move of a register", "unused fields",
	  { INSN(BPF_ALU64 | BPF_MOV | BPF_X, 0, 10, 0, 1), EXIT } },
	{ "a constant in a negation", "unused fields",
	  { MOV(0, 1), INSN(BPF_ALU64 | BPF_NEG, 0, 0, 0, 1), EXIT } },
	{ "a negation by a register", "an unknown instruction",
	  { MOV(0, 1), INSN(BPF_ALU64 | BPF_NEG | BPF_X, 0, 0, 0, 0), EXIT } },
	{ "a register in an exchange of bytes", "unused fields",
	  { MOV(0, 1), INSN(BPF_ALU | BPF_END | BPF_TO_BE, 0, 1, 0, 16), EXIT } },
	{ "a constant in a load", "unused fields",
	  { INSN(BPF_LDX | BPF_MEM | BPF_DW, 0, 1, 0, 1), EXIT } },
	{ "a register in a store of a constant", "unused fields",
	  { INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 1, -8, 0), MOV(0, 0), EXIT } },
	{ "a constant in a store of a register", "unused fields",
	  { INSN(BPF_STX | BPF_MEM | BPF_DW, 10, 1, -8, 1), MOV(0, 0), EXIT } },
	{ "a register in a jump", "unused fields",
	  { INSN(BPF_JMP | BPF_JA, 0, 1, 0, 0), MOV(0, 0), EXIT } },
	{ "an offset in an exit", "unused fields",
	  { MOV(0, 0), INSN(BPF_JMP | BPF_EXIT, 0, 0, 1, 0) } },
	{ "an offset in a call", "unused fields",
	  { INSN(BPF_JMP | BPF_CALL, 0, 0, 1, BPF_FUNC_ktime_get_ns), EXIT } },
	{ "a constant beside two registers that are compared",
	  "unused fields",
	  { MOV(0, 0), INSN(BPF_JMP | BPF_JEQ | BPF_X, 0, 1, 0, 1), EXIT } },
	{ "signed division", GOOD,
	  { MOV(0, 1), INSN(BPF_ALU64 | BPF_DIV | BPF_K, 0, 0, 1, 2), EXIT } },
	{ "too far a shift", "a shift by at least",
	  { MOV(0, 1), OP(BPF_LSH, 0, 64), EXIT } },
	{ "a division of an unknown kind", "a division that is neither",
	  { MOV(0, 1), INSN(BPF_ALU64 | BPF_DIV | BPF_K, 0, 0, 2, 2), EXIT } },
	{ "numbers that are extended", GOOD,
	  { LOAD(BPF_DW, 0, 1, 0), INSN(BPF_ALU64 | BPF_MOV | BPF_X, 0, 0, 32, 0),
	    INSN(BPF_ALU | BPF_MOV | BPF_X, 0, 0, 16, 0), EXIT } },
	{ "a number that is extended in 32 bits from 32", "a move with an unknown",
	  { MOV(0, 1), INSN(BPF_ALU | BPF_MOV | BPF_X, 0, 0, 32, 0), EXIT } },
	{ "a constant that is extended", "a move with an unknown extension",
	  { INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 8, 1), EXIT } },
	{ "an address that is extended", "half of an address",
	  { INSN(BPF_ALU64 | BPF_MOV | BPF_X, 0, 10, 32, 0), EXIT } },
	{ "a known number that is extended is not known",
	  "the offset from an address is not a constant",
	  { MOV(2, 0x80), INSN(BPF_ALU64 | BPF_MOV | BPF_X, 3, 2, 8, 0),
	    MOVX(4, 10), OPX(BPF_ADD, 4, 3), MOV(0, 0), EXIT } },
	{ "loads that extend", GOOD,
	  { STORE(BPF_DW, 10, -8, -1),
	    INSN(BPF_LDX | BPF_MEMSX | BPF_W, 0, 10, -8, 0),
	    INSN(BPF_LDX | BPF_MEMSX | BPF_B, 0, 10, -1, 0), EXIT } },
	{ "a load that extends 64 bits", "an unknown instruction",
	  { STORE(BPF_DW, 10, -8, -1),
	    INSN(BPF_LDX | BPF_MEMSX | BPF_DW, 0, 10, -8, 0), EXIT } },
	{ "a load that extends, outside", "an access outside of the stack",
	  { INSN(BPF_LDX | BPF_MEMSX | BPF_W, 0, 10, -2, 0), EXIT } },
	{ "bytes that are exchanged", GOOD,
	  { LOAD(BPF_DW, 0, 1, 0), INSN(BPF_ALU64 | BPF_END, 0, 0, 0, 64),
	    INSN(BPF_ALU | BPF_END | BPF_TO_LE, 0, 0, 0, 16), EXIT } },
	{ "3 bytes that are exchanged", "a byte swap of other",
	  { MOV(0, 1), INSN(BPF_ALU64 | BPF_END, 0, 0, 0, 24), EXIT } },
	{ "bytes that are exchanged, of an unknown kind", "an unknown instruction",
	  { MOV(0, 1), INSN(BPF_ALU64 | BPF_END | BPF_X, 0, 0, 0, 32), EXIT } },
	{ "a jump of 32 bits", GOOD,
	  { MOV(0, 0), INSN(BPF_JMP32 | BPF_JEQ | BPF_K, 0, 0, 0, 0),
	    INSN(BPF_JMP32 | BPF_JSGT | BPF_X, 0, 0, 0, 0), EXIT } },
	{ "half of an address that is compared", "half of an address",
	  { MOV(0, 0), INSN(BPF_JMP32 | BPF_JEQ | BPF_K, 10, 0, 0, 0), EXIT } },
	{ "halves of addresses that are compared", "half of an address",
	  { MOV(0, 0), INSN(BPF_JMP32 | BPF_JEQ | BPF_X, 0, 10, 0, 0), EXIT } },
	{ "a lookup that is compared with NULL by half", "half of an address",
	  { LOOKUP, INSN(BPF_JMP32 | BPF_JEQ | BPF_K, 0, 0, 1, 0),
	    STORE(BPF_DW, 0, 8, 1), MOV(0, 0), EXIT } },
	{ "a long jump", GOOD,
	  { MOV(0, 0), INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, 0), EXIT } },
	{ "a long jump back", "a loop",
	  { MOV(0, 0), INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, -1), EXIT } },
	{ "a long jump out of the program", "a jump out of the program",
	  { MOV(0, 0), INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, INT32_MAX), EXIT } },
	{ "an offset in a long jump", "unused fields",
	  { MOV(0, 0), INSN(BPF_JMP32 | BPF_JA, 0, 0, 1, 0), EXIT } },
	{ "a call of 32 bits", "an unknown instruction",
	  { INSN(BPF_JMP32 | BPF_CALL, 0, 0, 0, BPF_FUNC_ktime_get_ns), EXIT } },
	{ "an exit of 32 bits", "an unknown instruction",
	  { MOV(0, 0), INSN(BPF_JMP32 | BPF_EXIT, 0, 0, 0, 0), EXIT } },
	{ "an unknown operation", "an unknown instruction",
	  { MOV(0, 0), OP(0xf0, 0, 0), EXIT } },
	{ "an unknown load", "unsupported instruction",
	  { INSN(BPF_LDX | 0xe0, 0, 1, 0, 0), EXIT } },
};

static struct patchbay_bpf_map array = { .kind = PB_BPF_ARRAY, .key_size = 4,
					 .value_size = 16, .max_entries = 1 },
			       hash = { .kind = PB_BPF_HASH, .key_size = 8,
					.value_size = 16, .max_entries = 1 },
			       ring = { .kind = PB_BPF_RINGBUF,
					.max_entries = 4096 },
			       constant = { .kind = PB_BPF_ARRAY, .key_size = 4,
					    .value_size = 16, .max_entries = 1,
					    .read_only = 1 };
static struct patchbay_bpf_map *const maps[] = { &array, &hash, &ring,
						 &constant };

static uint32_t count(const struct bpf_insn *insns, uint32_t max)
{
	const struct bpf_insn none = { 0 };

	while (max && !memcmp(&insns[max - 1], &none, sizeof(none)))
		max--;
	/* Trailing zeros may belong to the last instruction. */
	return max;
}

static int failures;

static void expect(const char *name, int error, const char *reason,
		   const char *expected)
{
	if (!expected && !error)
		return;
	if (expected && error == -EACCES &&
	    !strncmp(reason, expected, strlen(expected)))
		return;
	printf("%s: %d, %s\n", name, error, error ? reason : "good");
	failures++;
}

int main(void)
{
	size_t nr = sizeof(cases) / sizeof(cases[0]);
	static struct bpf_insn many[PB_BPF_INSNS_MAX + 1];
	struct pb_bpf_uses uses;
	const char *reason = "";
	uint32_t index;
	int error;

	for (size_t i = 0; i < nr; i++) {
		const struct pb_bpf_code code = {
			.insns = (struct bpf_insn *)cases[i].insns,
			.nr_insns = count(cases[i].insns, 32),
			.maps = maps,
			.nr_maps = 4,
		};

		error = pb_bpf_verify(&code, &uses, &index, &reason);
		expect(cases[i].name, error, reason, cases[i].reason);
	}

	for (size_t i = 0; i < PB_BPF_INSNS_MAX; i++)
		many[i] = MOV(0, 0);
	many[PB_BPF_INSNS_MAX - 1] = EXIT;
	for (uint32_t size = 0; size <= PB_BPF_INSNS_MAX + 1; size++) {
		const struct pb_bpf_code code = { .insns = many,
						  .nr_insns = size };

		if (size && size < PB_BPF_INSNS_MAX)
			continue;
		nr++;
		error = pb_bpf_verify(&code, &uses, &index, &reason);
		if (error != (size == PB_BPF_INSNS_MAX ? 0 : -E2BIG)) {
			printf("%u instructions: %d\n", size, error);
			failures++;
		}
	}
	printf("failures: %d of %zu\n", failures, nr);
	return failures != 0;
}
