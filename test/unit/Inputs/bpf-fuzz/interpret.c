/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interpret.h"
#include "helpers.h"
#include "isa.h"
#include "state.h"

#include <string.h>

uint64_t nr_executed[256];

/*
 * @defined: a bit for each register that was written
 * @written: for each byte of the stack, whether it was written
 * @record:  the address of the reserved record, or 0
 */
struct machine {
	struct world *world;
	uint64_t reg[11];
	uint32_t defined;
	uint64_t stack_end;
	unsigned char stack[PB_BPF_STACK];
	unsigned char written[PB_BPF_STACK];
	uint64_t record;
	uint64_t record_size;
	struct outcome out;
};

/* Records the first violation. The program ends there. */
static void fault(struct machine *m, const char *what)
{
	if (!m->out.fault)
		m->out.fault = what;
}

static uint64_t get(struct machine *m, unsigned int reg)
{
	if (!(m->defined & 1u << reg))
		fault(m, "a register is read that was not written");
	return m->reg[reg];
}

static void set(struct machine *m, unsigned int reg, uint64_t value)
{
	if (reg == 10)
		fault(m, "the frame pointer is written");
	m->reg[reg] = value;
	m->defined |= 1u << reg;
}

static int lies_in(uint64_t at, uint64_t size, uint64_t from, uint64_t nr)
{
	return at >= from && at - from <= nr && size <= nr - (at - from);
}

/*
 * Is the access within one element's value? Accesses to a key or to two elements are
 * invalid.
 */
static int lies_in_value(const struct patchbay_bpf_map *map, uint64_t at,
			 uint64_t size)
{
	uint64_t from = (uintptr_t)map->data;

	return map->kind != PB_BPF_RINGBUF &&
	       lies_in(at, size, from, map->data_size) &&
	       lies_in((at - from) % map->stride, size, map->value_at,
		       map->value_size);
}

enum access { READ, WRITE };

static void *stack_bytes(struct machine *m, uint64_t at, uint64_t size,
			 enum access access)
{
	uint64_t from = at - (m->stack_end - PB_BPF_STACK);

	for (uint64_t i = from; i < from + size; i++) {
		if (access == WRITE)
			m->written[i] = 1;
		else if (!m->written[i])
			fault(m, "the stack is read where it was not written");
	}
	return m->stack + from;
}

/* Returns the bytes at the program's address @at, or dummy bytes after a fault. */
static void *memory(struct machine *m, uint64_t at, uint64_t size,
		    enum access access)
{
	static unsigned char nowhere[1 << 16];
	const struct world *world = m->world;

	if (lies_in(at, size, m->stack_end - PB_BPF_STACK, PB_BPF_STACK))
		return stack_bytes(m, at, size, access);
	if (m->record && lies_in(at, size, m->record, m->record_size))
		return (void *)(uintptr_t)at;
	if (access == READ &&
	    lies_in(at, size, (uintptr_t)world->context->words,
		    sizeof(world->context->words)))
		return (void *)(uintptr_t)at;
	for (unsigned int i = 0; i < NR_MAPS; i++)
		if (lies_in_value(world->maps[i], at, size) &&
		    (access == READ || !world->maps[i]->read_only))
			return (void *)(uintptr_t)at;
	fault(m, access == READ ? "memory is read that is not the program's" :
				  "memory is written that is not the program's");
	return nowhere;
}

static uint32_t size_of(uint8_t code)
{
	static const uint8_t sizes[] = { [BPF_W >> 3] = 4,
					 [BPF_H >> 3] = 2,
					 [BPF_B >> 3] = 1,
					 [BPF_DW >> 3] = 8 };

	return sizes[BPF_SIZE(code) >> 3];
}

static uint64_t load(struct machine *m, uint64_t at, uint32_t size)
{
	uint64_t value = 0;

	memcpy(&value, memory(m, at, size, READ), size);
	return value;
}

static void store(struct machine *m, uint64_t at, uint32_t size, uint64_t value)
{
	memcpy(memory(m, at, size, WRITE), &value, size);
}

/* Returns the lowest @bits of @value, as a signed or unsigned number. */
static uint64_t low(uint64_t value, int bits, int is_signed)
{
	uint64_t sign = 1ull << (bits - 1);
	uint64_t kept = bits == 64 ? value : value & ((1ull << bits) - 1);

	return is_signed ? (kept ^ sign) - sign : kept;
}

static uint64_t swap(uint64_t value, int bits)
{
	uint64_t swapped = 0;

	for (int i = 0; i < bits; i += 8)
		swapped |= (value >> i & 0xff) << (bits - 8 - i);
	return swapped;
}

/* Divides the magnitudes and sets the sign, so that nothing overflows. */
static uint64_t divide(uint64_t a, uint64_t b, int is_signed, int remainder)
{
	int minus_a = is_signed && (int64_t)a < 0;
	int minus_b = is_signed && (int64_t)b < 0;
	uint64_t result;

	if (!b)
		return remainder ? a : 0;
	a = minus_a ? 0 - a : a;
	b = minus_b ? 0 - b : b;
	result = remainder ? a % b : a / b;
	return (remainder ? minus_a : minus_a != minus_b) ? 0 - result : result;
}

/* Both operands have been cut to @bits. The caller cuts the result. */
static uint64_t calculate(const struct bpf_insn *insn, uint64_t a, uint64_t b,
			  int bits)
{
	unsigned int by = (unsigned int)b & ((unsigned int)bits - 1);

	switch (BPF_OP(insn->code)) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
	case BPF_MOD:
		return divide(insn->off ? low(a, bits, 1) : a,
			      insn->off ? low(b, bits, 1) : b, insn->off,
			      BPF_OP(insn->code) == BPF_MOD);
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return a << by;
	case BPF_RSH:
		return a >> by;
	case BPF_ARSH:
		return low(a, bits, 1) >> by |
		       (low(a, bits, 1) >> 63 ? ~(~0ull >> by) : 0);
	case BPF_NEG:
		return 0 - a;
	default: /* BPF_MOV */
		return insn->off ? low(b, insn->off, 1) : b;
	}
}

static void arithmetic(struct machine *m, const struct bpf_insn *insn)
{
	uint8_t op = BPF_OP(insn->code);
	int bits = BPF_CLASS(insn->code) == BPF_ALU ? 32 : 64;
	uint64_t a = op == BPF_MOV ? 0 : get(m, insn->dst_reg);
	uint64_t b = (uint64_t)(int64_t)insn->imm;

	if (op == BPF_END) {
		int swaps = bits == 64 || BPF_SRC(insn->code) == BPF_TO_BE;

		set(m, insn->dst_reg,
		    swaps ? swap(a, insn->imm) : low(a, insn->imm, 0));
		return;
	}
	if (op != BPF_NEG && BPF_SRC(insn->code) == BPF_X)
		b = get(m, insn->src_reg);
	set(m, insn->dst_reg,
	    low(calculate(insn, low(a, bits, 0), low(b, bits, 0), bits), bits,
		0));
}

static int is_taken(uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSGT:
		return (int64_t)a > (int64_t)b;
	case BPF_JSGE:
		return (int64_t)a >= (int64_t)b;
	case BPF_JSLT:
		return (int64_t)a < (int64_t)b;
	case BPF_JSLE:
		return (int64_t)a <= (int64_t)b;
	default:
		return (a & b) != 0;
	}
}

static int jumps(struct machine *m, const struct bpf_insn *insn)
{
	uint8_t op = BPF_OP(insn->code);
	int bits = BPF_CLASS(insn->code) == BPF_JMP32 ? 32 : 64;
	int is_signed = op == BPF_JSGT || op == BPF_JSGE || op == BPF_JSLT ||
			op == BPF_JSLE;
	uint64_t b = (uint64_t)(int64_t)insn->imm;

	if (BPF_SRC(insn->code) == BPF_X)
		b = get(m, insn->src_reg);
	return is_taken(op, low(get(m, insn->dst_reg), bits, is_signed),
			low(b, bits, is_signed));
}

static uint64_t combine(int32_t op, uint64_t was, uint64_t by)
{
	switch (op & ~BPF_FETCH) {
	case BPF_ADD:
		return was + by;
	case BPF_OR:
		return was | by;
	case BPF_AND:
		return was & by;
	case BPF_XOR:
		return was ^ by;
	default: /* BPF_XCHG, BPF_CMPXCHG */
		return by;
	}
}

static void atomic(struct machine *m, const struct bpf_insn *insn)
{
	uint32_t size = size_of(insn->code);
	uint64_t at = get(m, insn->dst_reg) + (uint64_t)(int64_t)insn->off;
	uint64_t by = get(m, insn->src_reg);
	uint64_t was = load(m, at, size);

	if (at % size)
		fault(m, "an atomic operation is not aligned");
	if (insn->imm == BPF_CMPXCHG) {
		/* A failed compare writes the old value again. */
		store(m, at, size,
		      was == low(get(m, 0), 8 * (int)size, 0) ? by : was);
		set(m, 0, was);
		return;
	}
	store(m, at, size, combine(insn->imm, was, by));
	if (insn->imm & BPF_FETCH)
		set(m, insn->src_reg, was);
}

static void access_memory(struct machine *m, const struct bpf_insn *insn)
{
	uint32_t size = size_of(insn->code);
	uint64_t offset = (uint64_t)(int64_t)insn->off;

	if (BPF_CLASS(insn->code) == BPF_LDX)
		set(m, insn->dst_reg,
		    low(load(m, get(m, insn->src_reg) + offset, size),
			8 * (int)size, BPF_MODE(insn->code) == BPF_MEMSX));
	else if (BPF_CLASS(insn->code) == BPF_ST)
		store(m, get(m, insn->dst_reg) + offset, size,
		      (uint64_t)(int64_t)insn->imm);
	else if (BPF_MODE(insn->code) == BPF_ATOMIC)
		atomic(m, insn);
	else
		store(m, get(m, insn->dst_reg) + offset, size,
		      get(m, insn->src_reg));
}

/* Returns the operand in the format of the engine's arguments. */
static uint64_t wide(const struct machine *m, const struct bpf_insn *insn)
{
	const struct patchbay_bpf_map *map;

	if (!insn->src_reg)
		return (uint64_t)(uint32_t)insn[1].imm << 32 |
		       (uint32_t)insn[0].imm;
	map = m->world->maps[insn->imm];
	return insn->src_reg == BPF_PSEUDO_MAP_IDX ?
		       (uintptr_t)map :
		       (uintptr_t)map->data + (uint32_t)insn[1].imm;
}

/* Returns the memory to which argument @n points, for the engine's call of a helper. */
static uint64_t pass_memory(struct machine *m, unsigned int n, uint64_t size,
			    enum access access)
{
	return (uintptr_t)memory(m, get(m, 1 + n), size, access);
}

static struct patchbay_bpf_map *map_in(struct machine *m)
{
	struct world *world = m->world;
	uint64_t address = get(m, 1);

	for (unsigned int i = 0; i < NR_MAPS; i++)
		if ((uintptr_t)world->maps[i] == address)
			return world->maps[i];
	fault(m, "a helper is given an argument that is not a map");
	return world->maps[ARRAY];
}

static void expect_context(struct machine *m)
{
	if (get(m, 1) != (uintptr_t)m->world->context)
		fault(m, "a helper is given an argument that is not the context");
}

static void expect_record(struct machine *m)
{
	if (!m->record || get(m, 1) != m->record)
		fault(m, "what is submitted is no record that is reserved");
}

/*
 * Passes the arguments in @arg as each helper reads and writes them; see
 * bpf-helpers(7).
 */
static void pass_arguments(struct machine *m, uint32_t id, uint64_t arg[5])
{
	switch (id) {
	case BPF_FUNC_map_update_elem:
		arg[2] = pass_memory(m, 2, map_in(m)->value_size, READ);
		arg[3] = get(m, 4);
		/* fallthrough */
	case BPF_FUNC_map_lookup_elem:
	case BPF_FUNC_map_delete_elem:
		arg[1] = pass_memory(m, 1, map_in(m)->key_size, READ);
		break;
	case BPF_FUNC_ringbuf_output:
		map_in(m);
		arg[2] = get(m, 3);
		arg[1] = pass_memory(m, 1, arg[2], READ);
		arg[3] = get(m, 4);
		break;
	case BPF_FUNC_ringbuf_reserve:
		map_in(m);
		arg[1] = get(m, 2);
		arg[2] = get(m, 3);
		break;
	case BPF_FUNC_ringbuf_submit:
	case BPF_FUNC_ringbuf_discard:
		expect_record(m);
		arg[1] = get(m, 2);
		break;
	case BPF_FUNC_get_func_arg:
		expect_context(m);
		arg[1] = get(m, 2);
		arg[2] = pass_memory(m, 2, 8, WRITE);
		break;
	case BPF_FUNC_get_func_ret:
		expect_context(m);
		arg[1] = pass_memory(m, 1, 8, WRITE);
		break;
	case BPF_FUNC_get_func_ip:
	case BPF_FUNC_get_attach_cookie:
	case BPF_FUNC_get_func_arg_cnt:
		expect_context(m);
		break;
	case BPF_FUNC_probe_read_user:
	case BPF_FUNC_probe_read_user_str:
		arg[1] = get(m, 2);
		arg[0] = pass_memory(m, 0, arg[1], WRITE);
		arg[2] = get(m, 3);
		/* The result depends on the process, because the stacks differ. */
		m->out.unclear = 1;
		break;
	case BPF_FUNC_ktime_get_ns:
		m->out.unclear = 1;
		break;
	}
}

static void call(struct machine *m, uint32_t id)
{
	const struct pb_bpf_helper *helper = pb_bpf_find_helper(id);
	uint64_t arg[5] = { m->reg[1] };
	uint64_t size = m->reg[2];

	if (!helper) {
		fault(m, "a helper is called that there is not");
		return;
	}
	pass_arguments(m, id, arg);
	if (m->out.fault)
		return;
	/* The call leaves the argument registers undefined. */
	m->defined &= ~0x3fu;
	set(m, 0, helper->function(arg[0], arg[1], arg[2], arg[3], arg[4]));
	if (id == BPF_FUNC_ringbuf_reserve) {
		m->record = m->reg[0];
		m->record_size = size;
	} else if (id == BPF_FUNC_ringbuf_submit ||
		   id == BPF_FUNC_ringbuf_discard) {
		m->record = 0;
	}
}

/* Executes an instruction. Returns the index of the next one, or -1. */
static int64_t step(struct machine *m, const struct bpf_insn *insn, int64_t i)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		arithmetic(m, insn);
		return i + 1;
	case BPF_LD:
		set(m, insn->dst_reg, wide(m, insn));
		return i + 2;
	case BPF_JMP:
	case BPF_JMP32:
		break;
	default:
		access_memory(m, insn);
		return i + 1;
	}
	switch (insn->code) {
	case BPF_JMP | BPF_JA:
		return i + 1 + insn->off;
	case BPF_JMP32 | BPF_JA:
		return i + 1 + insn->imm;
	case BPF_JMP | BPF_CALL:
		call(m, (uint32_t)insn->imm);
		return i + 1;
	case BPF_JMP | BPF_EXIT:
		m->out.result = get(m, 0);
		return -1;
	default:
		return i + 1 + (jumps(m, insn) ? insn->off : 0);
	}
}

struct outcome interpret(const struct pb_bpf_code *code, struct world *world,
			 uint64_t stack)
{
	struct machine m = { .world = world, .stack_end = stack };
	int64_t next = 0;

	set(&m, 1, (uintptr_t)world->context);
	m.reg[10] = stack;
	m.defined |= 1u << 10;
	for (uint32_t steps = 0; next >= 0 && !m.out.fault; steps++) {
		if (next >= code->nr_insns || steps > code->nr_insns) {
			fault(&m, "the program does not end");
			break;
		}
		m.out.index = (uint32_t)next;
		nr_executed[code->insns[next].code]++;
		next = step(&m, &code->insns[next], next);
	}
	if (m.record)
		fault(&m, "a record is not submitted");
	return m.out;
}
