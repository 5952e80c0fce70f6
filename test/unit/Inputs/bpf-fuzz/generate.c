/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "generate.h"

#define MAX_BLOCKS 40
#define MAX_JUMPS 8
/* The maximum number of instructions in a block, with a margin. */
#define BLOCK_INSNS 40

/* Stack offsets of a key, an address, and numbers. */
#define KEY (-8)
#define SPILL (-16)
#define NUMBERS (-128)
#define NR_NUMBERS 8

/*
 * @starts: first instructions of blocks. A leading jump goes to a later block,
 *          which is chosen when all blocks exist.
 */
struct program {
	struct bpf_insn *insns;
	uint32_t nr;
	uint64_t *random;
	uint32_t starts[MAX_BLOCKS + 1];
	uint32_t nr_blocks;
	uint32_t jumps[MAX_JUMPS];
	uint32_t from[MAX_JUMPS];
	uint32_t nr_jumps;
};

static void put(struct program *p, uint8_t code, unsigned int dst,
		unsigned int src, int off, int64_t imm)
{
	p->insns[p->nr++] = (struct bpf_insn){ .code = code,
					       .dst_reg = dst & 15,
					       .src_reg = src & 15,
					       .off = (int16_t)off,
					       .imm = (int32_t)imm };
}

static void put_wide(struct program *p, unsigned int dst, unsigned int kind,
		     uint64_t value)
{
	put(p, BPF_LD | BPF_IMM | BPF_DW, dst, kind, 0, (int32_t)value);
	put(p, 0, 0, 0, 0, (int32_t)(value >> 32));
}

static void put_map(struct program *p, unsigned int dst, unsigned int map)
{
	put_wide(p, dst, BPF_PSEUDO_MAP_IDX, map);
}

static void put_copy(struct program *p, unsigned int dst, unsigned int src)
{
	put(p, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void put_call(struct program *p, enum bpf_func_id id)
{
	put(p, BPF_JMP | BPF_CALL, 0, 0, 0, id);
}

static unsigned int number(struct program *p)
{
	static const uint8_t regs[] = { 0, 1, 2, 3, 4, 5, 7, 8 };

	return regs[below(p->random, sizeof(regs))];
}

/* Returns a register that calls preserve. */
static unsigned int kept(struct program *p)
{
	return 7 + below(p->random, 2);
}

/* Returns BPF_B to BPF_DW, and stores the number of bytes in *@bytes. */
static uint8_t any_size(struct program *p, unsigned int *bytes)
{
	static const uint8_t sizes[] = { BPF_B, BPF_H, BPF_W, BPF_DW };
	unsigned int n = below(p->random, 4);

	*bytes = 1u << n;
	return sizes[n];
}

static void put_number(struct program *p, unsigned int reg)
{
	switch (below(p->random, 4)) {
	case 0:
		put(p, BPF_ALU64 | BPF_MOV | BPF_K, reg, 0, 0,
		    (int64_t)edge_word(p->random));
		break;
	case 1:
		put_wide(p, reg, 0, edge_word(p->random));
		break;
	default:
		put(p, BPF_LDX | BPF_MEM | BPF_DW, reg, 6,
		    (int)(8 * below(p->random, PB_BPF_WORDS)), 0);
	}
}

/* Puts numbers in the registers that a call leaves undefined. */
static void put_numbers(struct program *p)
{
	for (unsigned int reg = 0; reg <= 5; reg++)
		put_number(p, reg);
}

static void put_prologue(struct program *p)
{
	put_wide(p, 2, BPF_PSEUDO_MAP_IDX_VALUE, PROBE);
	put(p, BPF_STX | BPF_MEM | BPF_DW, 2, 10, 0, 0);
	put_copy(p, 2, 1);
	put_copy(p, 6, 1);
	put_wide(p, 9, BPF_PSEUDO_MAP_IDX_VALUE, ARRAY);
	put_numbers(p);
	put_number(p, 7);
	put_number(p, 8);
	for (int i = 0; i < NR_NUMBERS; i++)
		put(p, BPF_STX | BPF_MEM | BPF_DW, 10, number(p),
		    NUMBERS + 8 * i, 0);
}

/*
 * Sometimes emits instructions that the verifier refuses, to test
 * refusals.
 */
static void put_arithmetic(struct program *p)
{
	static const uint8_t ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV,
				       BPF_OR,	BPF_AND, BPF_LSH, BPF_RSH,
				       BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH };
	uint8_t op = ops[below(p->random, sizeof(ops))];
	uint8_t class = below(p->random, 2) ? BPF_ALU64 : BPF_ALU;
	int bits = class == BPF_ALU ? 32 : 64;
	int by_constant = (int)below(p->random, 2);
	int64_t imm = (int64_t)edge_word(p->random);
	int anything = !below(p->random, 100);
	int off = 0;

	if (op == BPF_DIV || op == BPF_MOD) {
		off = (int)below(p->random, 2);
		if (!anything && !(int32_t)imm)
			imm = 7;
	}
	if (op == BPF_MOV && !by_constant && below(p->random, 2))
		off = 8 << below(p->random, class == BPF_ALU ? 2 : 3);
	if (!anything && (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH))
		imm &= bits - 1;
	if (by_constant)
		put(p, class | op | BPF_K, number(p), 0, off, imm);
	else
		put(p, class | op | BPF_X, number(p), number(p), off, 0);
}

/* Emits an instruction with one operand. */
static void put_change(struct program *p)
{
	static const uint8_t codes[] = { BPF_ALU | BPF_NEG,
					 BPF_ALU64 | BPF_NEG,
					 BPF_ALU | BPF_END | BPF_TO_LE,
					 BPF_ALU | BPF_END | BPF_TO_BE,
					 BPF_ALU64 | BPF_END };
	uint8_t code = codes[below(p->random, sizeof(codes))];

	put(p, code, number(p), 0, 0,
	    BPF_OP(code) == BPF_END ? 16 << below(p->random, 3) : 0);
}

/*
 * Returns an atomic operation. A compare-and-exchange compares with r0, which may be
 * the address.
 */
static int any_atomic(struct program *p, unsigned int reg)
{
	static const uint8_t ops[] = { BPF_ADD,
				       BPF_OR,
				       BPF_AND,
				       BPF_XOR,
				       BPF_ADD | BPF_FETCH,
				       BPF_OR | BPF_FETCH,
				       BPF_AND | BPF_FETCH,
				       BPF_XOR | BPF_FETCH,
				       BPF_XCHG,
				       BPF_CMPXCHG };

	return ops[below(p->random, sizeof(ops) - (reg == 0))];
}

/* Emits an access of @size bytes at @reg. If @writes, the access is a write. */
static void put_access(struct program *p, unsigned int reg, int from,
		       unsigned int size, int writes, unsigned int with)
{
	unsigned int bytes;
	uint8_t code = any_size(p, &bytes);
	int at = from + (int)below(p->random, size - bytes + 1);

	switch (writes ? below(p->random, 5) : below(p->random, 2)) {
	case 0:
		put(p, BPF_LDX | BPF_MEM | code, with, reg, at, 0);
		break;
	case 1:
		put(p, BPF_LDX | (bytes < 8 ? BPF_MEMSX : BPF_MEM) | code, with,
		    reg, at, 0);
		break;
	case 2:
		put(p, BPF_ST | BPF_MEM | code, reg, 0, at,
		    (int64_t)edge_word(p->random));
		break;
	case 3:
		put(p, BPF_STX | BPF_MEM | code, reg, with, at, 0);
		break;
	default:
		if (bytes < 4) {
			bytes = 8;
			code = BPF_DW;
		}
		at = from + (int)(bytes * below(p->random, size / bytes));
		put(p, BPF_STX | BPF_ATOMIC | code, reg, with, at,
		    any_atomic(p, reg));
	}
}

static void put_load_of_context(struct program *p)
{
	unsigned int bytes;
	uint8_t code = any_size(p, &bytes);
	unsigned int word = below(p->random, PB_BPF_WORDS);

	put(p, BPF_LDX | BPF_MEM | code, number(p), 6,
	    (int)(8 * word + bytes * below(p->random, 8 / bytes)), 0);
}

/* Moves an address, spills it to the stack, and restores it. */
static void put_addresses(struct program *p)
{
	unsigned int reg = 1 + below(p->random, 5);
	int by = (int)below(p->random, 40);

	put_copy(p, reg, 9);
	put(p, BPF_ALU64 | BPF_ADD | BPF_K, reg, 0, 0, by);
	put(p, BPF_STX | BPF_MEM | BPF_DW, 10, reg, SPILL, 0);
	put_number(p, reg);
	put(p, BPF_LDX | BPF_MEM | BPF_DW, reg, 10, SPILL, 0);
	put_access(p, reg, -by, ARRAY_VALUE, by % 8 == 0, kept(p));
	put(p, BPF_ALU64 | BPF_SUB | BPF_K, reg, 0, 0, by);
	put_access(p, reg, 0, ARRAY_VALUE, 1, kept(p));
	/* The address must be unchanged; otherwise the program ends differently. */
	put(p, BPF_JMP | BPF_JEQ | BPF_X, reg, 9, 1, 0);
	put(p, BPF_ST | BPF_MEM | BPF_DW, 9, 0, 0, -1);
	put(p, BPF_ST | BPF_MEM | BPF_DW, 10, 0, SPILL, 0);
	put_number(p, reg);
}

static void put_conditional(struct program *p, int off)
{
	static const uint8_t ops[] = { BPF_JEQ, BPF_JNE,  BPF_JGT,  BPF_JGE,
				       BPF_JLT, BPF_JLE,  BPF_JSGT, BPF_JSGE,
				       BPF_JSLT, BPF_JSLE, BPF_JSET };
	uint8_t op = ops[below(p->random, sizeof(ops))];
	uint8_t source = below(p->random, 2) ? BPF_X : BPF_K;
	uint8_t class = below(p->random, 2) ? BPF_JMP : BPF_JMP32;

	put(p, class | op | source, number(p),
	    source == BPF_X ? number(p) : 0, off,
	    source == BPF_K ? (int64_t)edge_word(p->random) : 0);
}

static void put_jump(struct program *p)
{
	if (p->nr_jumps == MAX_JUMPS)
		return;
	p->from[p->nr_jumps] = p->nr_blocks;
	p->jumps[p->nr_jumps++] = p->nr;
	put_conditional(p, 0);
}

/* Emits a jump over one or two instructions, or an exit inside a program. */
static void put_small_jump(struct program *p)
{
	switch (below(p->random, 3)) {
	case 0:
		put_conditional(p, 1);
		put_arithmetic(p);
		break;
	case 1:
		put_conditional(p, 2);
		put_arithmetic(p);
		if (below(p->random, 2))
			put(p, BPF_JMP | BPF_JA, 0, 0, 0, 0);
		else
			put(p, BPF_JMP32 | BPF_JA, 0, 0, 0, 0);
		break;
	default:
		put_conditional(p, 1);
		put(p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	}
}

/* Stores a key at KEY and its address in r2. */
static void put_key(struct program *p, unsigned int map)
{
	if (map == HASH)
		put(p, BPF_ST | BPF_MEM | BPF_DW, 10, 0, KEY,
		    below(p->random, 12));
	else
		put(p, BPF_ST | BPF_MEM | BPF_W, 10, 0, KEY,
		    below(p->random, 6));
	put_copy(p, 2, 10);
	put(p, BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, KEY);
}

static unsigned int value_size(unsigned int map)
{
	return map == HASH ? HASH_VALUE :
	       map == ARRAY ? ARRAY_VALUE :
			      CONSTANT_VALUE;
}

static void put_lookup(struct program *p)
{
	static const uint8_t tables[] = { ARRAY, HASH, HASH, CONSTANT };
	unsigned int map = tables[below(p->random, sizeof(tables))];
	unsigned int nr = 1 + below(p->random, 4);
	int found_jumps = (int)below(p->random, 2);

	put_key(p, map);
	put_map(p, 1, map);
	put_call(p, BPF_FUNC_map_lookup_elem);
	if (found_jumps) {
		put(p, BPF_JMP | BPF_JNE | BPF_K, 0, 0, 1, 0);
		put(p, BPF_JMP | BPF_JA, 0, 0, (int)nr, 0);
	} else {
		put(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (int)nr, 0);
	}
	while (nr--)
		put_access(p, 0, 0, value_size(map), map != CONSTANT, kept(p));
	put_numbers(p);
}

static void put_update(struct program *p)
{
	unsigned int map = below(p->random, 3) ? HASH : ARRAY;

	if (below(p->random, 2)) {
		put(p, BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0,
		    below(p->random, 4));
		put_key(p, map);
		/* 64 bytes of numbers are enough for a value of either map. */
		put_copy(p, 3, 10);
		put(p, BPF_ALU64 | BPF_ADD | BPF_K, 3, 0, 0, NUMBERS);
		put_map(p, 1, map);
		put_call(p, BPF_FUNC_map_update_elem);
	} else {
		put_key(p, map);
		put_map(p, 1, map);
		put_call(p, BPF_FUNC_map_delete_elem);
	}
	put_copy(p, kept(p), 0);
	put_numbers(p);
}

static void put_record(struct program *p)
{
	unsigned int size = 8 + below(p->random, 56);
	unsigned int nr = 1 + below(p->random, 4);
	int discards = (int)below(p->random, 2);

	put_map(p, 1, RING);
	put(p, BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, size);
	put(p, BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 0);
	put_call(p, BPF_FUNC_ringbuf_reserve);
	put(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (int)nr + 3, 0);
	while (nr--)
		put_access(p, 0, 0, size, 1, kept(p));
	put_copy(p, 1, 0);
	put(p, BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 0);
	put_call(p, discards ? BPF_FUNC_ringbuf_discard :
			       BPF_FUNC_ringbuf_submit);
	put_numbers(p);
}

static void put_output(struct program *p)
{
	put_map(p, 1, RING);
	put_copy(p, 2, 10);
	put(p, BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, NUMBERS);
	put(p, BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0,
	    1 + below(p->random, 8 * NR_NUMBERS));
	put(p, BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, 0);
	put_call(p, BPF_FUNC_ringbuf_output);
	put_copy(p, kept(p), 0);
	put_numbers(p);
}

static void put_question(struct program *p)
{
	put_copy(p, 1, 6);
	switch (below(p->random, 5)) {
	case 0:
		put_call(p, BPF_FUNC_get_func_ip);
		break;
	case 1:
		put_call(p, BPF_FUNC_get_attach_cookie);
		break;
	case 2:
		put_call(p, BPF_FUNC_get_func_arg_cnt);
		break;
	case 3:
		put_copy(p, 3, 10);
		put(p, BPF_ALU64 | BPF_ADD | BPF_K, 3, 0, 0, KEY);
		put(p, BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0,
		    below(p->random, NR_ARGS + 2));
		put_call(p, BPF_FUNC_get_func_arg);
		put(p, BPF_LDX | BPF_MEM | BPF_DW, kept(p), 10, KEY, 0);
		break;
	default:
		put_copy(p, 2, 10);
		put(p, BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, KEY);
		put_call(p, BPF_FUNC_get_func_ret);
	}
	put_copy(p, kept(p), 0);
	put_numbers(p);
}

static void put_block(struct program *p)
{
	switch (below(p->random, 24)) {
	case 0:
		put_lookup(p);
		break;
	case 1:
		put_update(p);
		break;
	case 2:
		put_record(p);
		break;
	case 3:
		put_output(p);
		break;
	case 4:
		put_question(p);
		break;
	case 5:
		put_addresses(p);
		break;
	case 6:
		put_jump(p);
		break;
	case 7:
		put_small_jump(p);
		break;
	case 8:
	case 9:
		put_access(p, 9, 0, ARRAY_VALUE, 1, number(p));
		break;
	case 10:
	case 11:
		put_access(p, 10, NUMBERS, 8 * NR_NUMBERS, 1, number(p));
		break;
	case 12:
		put_load_of_context(p);
		break;
	case 13:
		put_number(p, number(p));
		break;
	case 14:
		put_change(p);
		break;
	default:
		put_arithmetic(p);
	}
}

/* Chooses a later block for each jump, usually a near one. */
static void aim_jumps(struct program *p)
{
	for (uint32_t i = 0; i < p->nr_jumps; i++) {
		uint32_t left = p->nr_blocks - p->from[i];
		uint32_t by = 1 + below(p->random, left < 6 ? left : 6);
		uint32_t at = p->jumps[i];

		p->insns[at].off =
			(int16_t)(p->starts[p->from[i] + by] - at - 1);
	}
}

static void damage(struct program *p)
{
	for (uint32_t nr = 1 + below(p->random, 3); nr; nr--) {
		struct bpf_insn *insn =
			&p->insns[NR_PROBE +
				  below(p->random, p->nr - NR_PROBE)];

		switch (below(p->random, 7)) {
		case 0:
			insn->code = (uint8_t)random_word(p->random);
			break;
		case 1:
			insn->dst_reg = below(p->random, 12);
			break;
		case 2:
			insn->src_reg = below(p->random, 12);
			break;
		case 3:
			insn->off = (int16_t)(insn->off +
					      (int)below(p->random, 17) - 8);
			break;
		case 4:
			insn->imm = (int32_t)edge_word(p->random);
			break;
		case 5:
			insn->imm = (int32_t)((uint32_t)insn->imm +
					      below(p->random, 17) - 8);
			break;
		default:
			*insn = p->insns[NR_PROBE +
					 below(p->random, p->nr - NR_PROBE)];
		}
	}
}

uint32_t generate(struct bpf_insn insns[MAX_INSNS], uint64_t *random,
		  int *is_damaged)
{
	struct program p = { .insns = insns, .random = random };
	uint32_t nr_blocks = 1 + below(random, MAX_BLOCKS);

	put_prologue(&p);
	for (; p.nr_blocks < nr_blocks && p.nr + BLOCK_INSNS < MAX_INSNS;
	     p.nr_blocks++) {
		p.starts[p.nr_blocks] = p.nr;
		put_block(&p);
	}
	p.starts[p.nr_blocks] = p.nr;
	aim_jumps(&p);
	put(&p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	*is_damaged = !below(random, 3);
	if (*is_damaged)
		damage(&p);
	return p.nr;
}
