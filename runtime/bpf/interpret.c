/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Interprets all groups of instructions of RFC 9669 except packets. Comments repeat only subtle
 * rules of the RFC. The verifier has checked every path through the program: registers are
 * defined, memory is accessible, atomic operations are aligned, and there is no loop.
 */
#include "engine.h"
#include "helpers.h"
#include "isa.h"
#include "state.h"

/* One case for both kinds of a second operand: a number and a register. */
#define BOTH(code)                                                             \
	(code) | BPF_K:                                                        \
	case (code) | BPF_X
#define ALU_BOTH(op) BOTH(BPF_ALU | (op))
#define ALU64_BOTH(op) BOTH(BPF_ALU64 | (op))

static inline uint64_t swap(uint64_t value, int bits)
{
	return __builtin_bswap64(value) >> (64 - bits);
}

static inline uint64_t cut(uint64_t value, int bits)
{
	return value << (64 - bits) >> (64 - bits);
}

static inline int64_t extend(uint64_t value, int bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* Division by 0 gives 0. The remainder is then the dividend. */
static inline uint64_t divide(uint64_t a, uint64_t b)
{
	return b ? a / b : 0;
}

static inline uint64_t modulo(uint64_t a, uint64_t b)
{
	return b ? a % b : a;
}

/* Division by -1 could overflow in the processor, so negate instead. */
static inline int64_t divide_signed(int64_t a, int64_t b)
{
	if (b == -1)
		return (int64_t)(0 - (uint64_t)a);
	return b ? a / b : 0;
}

static inline int64_t modulo_signed(int64_t a, int64_t b)
{
	if (b == -1)
		return 0;
	return b ? a % b : a;
}

#define LOAD(type)                                                             \
	({                                                                     \
		type value;                                                    \
		__builtin_memcpy(&value, (const void *)(src + insn->off),      \
				 sizeof(value));                               \
		value;                                                         \
	})
#define STORE(type, what)                                                      \
	({                                                                     \
		type value = (type)(what);                                     \
		__builtin_memcpy((void *)(*dst + insn->off), &value,           \
				 sizeof(value));                               \
	})

/*
 * Operations that return the old value are sequentially consistent, the others relaxed, as in
 * the kernel.
 */
#define ATOMIC(type)                                                           \
	static void atomic_##type(uint64_t reg[11], type *at,                  \
				  const struct bpf_insn *insn)                 \
	{                                                                      \
		uint64_t *src = &reg[insn->src_reg];                           \
		type what = (type)*src, expected = (type)reg[0];               \
                                                                               \
		switch (insn->imm) {                                           \
		case BPF_ADD:                                                  \
			__atomic_fetch_add(at, what, __ATOMIC_RELAXED);        \
			break;                                                 \
		case BPF_OR:                                                   \
			__atomic_fetch_or(at, what, __ATOMIC_RELAXED);         \
			break;                                                 \
		case BPF_AND:                                                  \
			__atomic_fetch_and(at, what, __ATOMIC_RELAXED);        \
			break;                                                 \
		case BPF_XOR:                                                  \
			__atomic_fetch_xor(at, what, __ATOMIC_RELAXED);        \
			break;                                                 \
		case BPF_ADD | BPF_FETCH:                                      \
			*src = __atomic_fetch_add(at, what, __ATOMIC_SEQ_CST); \
			break;                                                 \
		case BPF_OR | BPF_FETCH:                                       \
			*src = __atomic_fetch_or(at, what, __ATOMIC_SEQ_CST);  \
			break;                                                 \
		case BPF_AND | BPF_FETCH:                                      \
			*src = __atomic_fetch_and(at, what, __ATOMIC_SEQ_CST); \
			break;                                                 \
		case BPF_XOR | BPF_FETCH:                                      \
			*src = __atomic_fetch_xor(at, what, __ATOMIC_SEQ_CST); \
			break;                                                 \
		case BPF_XCHG:                                                 \
			*src = __atomic_exchange_n(at, what,                   \
						   __ATOMIC_SEQ_CST);          \
			break;                                                 \
		default: /* BPF_CMPXCHG */                                     \
			__atomic_compare_exchange_n(at, &expected, what, 0,    \
						    __ATOMIC_SEQ_CST,          \
						    __ATOMIC_SEQ_CST);         \
			reg[0] = expected;                                     \
		}                                                              \
	}

ATOMIC(uint32_t)
ATOMIC(uint64_t)

static uint64_t call(const uint64_t reg[11], int32_t place)
{
	return pb_bpf_helpers[place].function(reg[1], reg[2], reg[3], reg[4],
					      reg[5]);
}

uint64_t pb_bpf_machine_run(const struct pb_bpf_machine *machine,
			    void *context)
{
	const struct bpf_insn *insn = machine->insns;
	uint64_t stack[PB_BPF_SLOTS];
	uint64_t reg[11];

	reg[1] = (uintptr_t)context;
	reg[10] = (uintptr_t)(stack + PB_BPF_SLOTS);
	for (;; insn++) {
		uint64_t *dst = &reg[insn->dst_reg];
		uint64_t src = reg[insn->src_reg];
		/* The second operand. Instructions without one ignore it. */
		uint64_t by = insn->code & BPF_X ?
				      src :
				      (uint64_t)(int64_t)insn->imm;
		uint32_t a = (uint32_t)*dst, b = (uint32_t)by;
		int taken;

		switch (insn->code) {
		case ALU64_BOTH(BPF_ADD):
			*dst += by;
			continue;
		case ALU64_BOTH(BPF_SUB):
			*dst -= by;
			continue;
		case ALU64_BOTH(BPF_MUL):
			*dst *= by;
			continue;
		case ALU64_BOTH(BPF_DIV):
			*dst = insn->off ? (uint64_t)divide_signed(
						   (int64_t)*dst, (int64_t)by) :
					   divide(*dst, by);
			continue;
		case ALU64_BOTH(BPF_MOD):
			*dst = insn->off ? (uint64_t)modulo_signed(
						   (int64_t)*dst, (int64_t)by) :
					   modulo(*dst, by);
			continue;
		case ALU64_BOTH(BPF_OR):
			*dst |= by;
			continue;
		case ALU64_BOTH(BPF_AND):
			*dst &= by;
			continue;
		case ALU64_BOTH(BPF_XOR):
			*dst ^= by;
			continue;
		case ALU64_BOTH(BPF_LSH):
			*dst <<= by & 63;
			continue;
		case ALU64_BOTH(BPF_RSH):
			*dst >>= by & 63;
			continue;
		case ALU64_BOTH(BPF_ARSH):
			*dst = (uint64_t)((int64_t)*dst >> (by & 63));
			continue;
		case ALU64_BOTH(BPF_MOV):
			*dst = insn->off ? (uint64_t)extend(by, insn->off) : by;
			continue;
		case BPF_ALU64 | BPF_NEG:
			*dst = 0 - *dst;
			continue;
		case BPF_ALU64 | BPF_END:
			*dst = swap(*dst, insn->imm);
			continue;

		/* 32-bit operations: the upper half of the result becomes 0. */
		case ALU_BOTH(BPF_ADD):
			*dst = a + b;
			continue;
		case ALU_BOTH(BPF_SUB):
			*dst = a - b;
			continue;
		case ALU_BOTH(BPF_MUL):
			*dst = a * b;
			continue;
		case ALU_BOTH(BPF_DIV):
			*dst = insn->off ? (uint32_t)divide_signed((int32_t)a,
								   (int32_t)b) :
					   divide(a, b);
			continue;
		case ALU_BOTH(BPF_MOD):
			*dst = insn->off ? (uint32_t)modulo_signed((int32_t)a,
								   (int32_t)b) :
					   modulo(a, b);
			continue;
		case ALU_BOTH(BPF_OR):
			*dst = a | b;
			continue;
		case ALU_BOTH(BPF_AND):
			*dst = a & b;
			continue;
		case ALU_BOTH(BPF_XOR):
			*dst = a ^ b;
			continue;
		case ALU_BOTH(BPF_LSH):
			*dst = a << (b & 31);
			continue;
		case ALU_BOTH(BPF_RSH):
			*dst = a >> (b & 31);
			continue;
		case ALU_BOTH(BPF_ARSH):
			*dst = (uint32_t)((int32_t)a >> (b & 31));
			continue;
		case ALU_BOTH(BPF_MOV):
			*dst = insn->off ? (uint32_t)extend(b, insn->off) : b;
			continue;
		case BPF_ALU | BPF_NEG:
			*dst = 0 - a;
			continue;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		case BPF_ALU | BPF_END | BPF_TO_LE:
			*dst = cut(*dst, insn->imm);
			continue;
		case BPF_ALU | BPF_END | BPF_TO_BE:
			*dst = swap(*dst, insn->imm);
			continue;
#else
#error "no big-endian processor was tried"
#endif

		case BPF_LD | BPF_IMM | BPF_DW:
			*dst = (uint32_t)insn[0].imm |
			       (uint64_t)(uint32_t)insn[1].imm << 32;
			insn++;
			continue;
		case BPF_LDX | BPF_MEM | BPF_B:
			*dst = LOAD(uint8_t);
			continue;
		case BPF_LDX | BPF_MEM | BPF_H:
			*dst = LOAD(uint16_t);
			continue;
		case BPF_LDX | BPF_MEM | BPF_W:
			*dst = LOAD(uint32_t);
			continue;
		case BPF_LDX | BPF_MEM | BPF_DW:
			*dst = LOAD(uint64_t);
			continue;
		case BPF_LDX | BPF_MEMSX | BPF_B:
			*dst = (uint64_t)LOAD(int8_t);
			continue;
		case BPF_LDX | BPF_MEMSX | BPF_H:
			*dst = (uint64_t)LOAD(int16_t);
			continue;
		case BPF_LDX | BPF_MEMSX | BPF_W:
			*dst = (uint64_t)LOAD(int32_t);
			continue;
		case BPF_ST | BPF_MEM | BPF_B:
			STORE(uint8_t, insn->imm);
			continue;
		case BPF_ST | BPF_MEM | BPF_H:
			STORE(uint16_t, insn->imm);
			continue;
		case BPF_ST | BPF_MEM | BPF_W:
			STORE(uint32_t, insn->imm);
			continue;
		case BPF_ST | BPF_MEM | BPF_DW:
			STORE(uint64_t, insn->imm);
			continue;
		case BPF_STX | BPF_MEM | BPF_B:
			STORE(uint8_t, src);
			continue;
		case BPF_STX | BPF_MEM | BPF_H:
			STORE(uint16_t, src);
			continue;
		case BPF_STX | BPF_MEM | BPF_W:
			STORE(uint32_t, src);
			continue;
		case BPF_STX | BPF_MEM | BPF_DW:
			STORE(uint64_t, src);
			continue;
		case BPF_STX | BPF_ATOMIC | BPF_W:
			atomic_uint32_t(reg, (uint32_t *)(*dst + insn->off),
					insn);
			continue;
		case BPF_STX | BPF_ATOMIC | BPF_DW:
			atomic_uint64_t(reg, (uint64_t *)(*dst + insn->off),
					insn);
			continue;

		case BPF_JMP | BPF_JA:
			insn += insn->off;
			continue;
		case BPF_JMP32 | BPF_JA:
			insn += insn->imm;
			continue;
		case BPF_JMP | BPF_CALL:
			reg[0] = call(reg, insn->imm);
			continue;
		case BPF_JMP | BPF_EXIT:
			return reg[0];

#define JUMP(op, how)                                                          \
	case BOTH(BPF_JMP | (op)):                                             \
		taken = *dst how by;                                           \
		break;                                                         \
	case BOTH(BPF_JMP32 | (op)):                                           \
		taken = a how b;                                               \
		break
#define JUMP_SIGNED(op, how)                                                   \
	case BOTH(BPF_JMP | (op)):                                             \
		taken = (int64_t)*dst how (int64_t)by;                         \
		break;                                                         \
	case BOTH(BPF_JMP32 | (op)):                                           \
		taken = (int32_t)a how (int32_t)b;                             \
		break

		JUMP(BPF_JEQ, ==);
		JUMP(BPF_JNE, !=);
		JUMP(BPF_JGT, >);
		JUMP(BPF_JGE, >=);
		JUMP(BPF_JLT, <);
		JUMP(BPF_JLE, <=);
		JUMP_SIGNED(BPF_JSGT, >);
		JUMP_SIGNED(BPF_JSGE, >=);
		JUMP_SIGNED(BPF_JSLT, <);
		JUMP_SIGNED(BPF_JSLE, <=);
		case BOTH(BPF_JMP | BPF_JSET):
			taken = (*dst & by) != 0;
			break;
		case BOTH(BPF_JMP32 | BPF_JSET):
			taken = (a & b) != 0;
			break;
		default:
			return 0; /* the verifier refuses this */
		}
		if (taken)
			insn += insn->off;
	}
}
