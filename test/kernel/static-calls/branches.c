// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A QEMU plugin that counts executed code between two marks:
// - instructions, and those between the addresses first= and last=;
// - on ppc64, branches through a register that are not returns;
// - on ppc64, returns that do not go to the instruction after the last call. A CPU's
//   return stack would mispredict these.
//
// A mark is an instruction that no compiler emits: a load of a constant into r0 or x9.
// For each pair of marks, the plugin adds a line to the file of the option out=.
//
// Debian has no package with QEMU's header, so this file declares the functions that it
// uses (QEMU's documentation, "QEMU TCG Plugins", version 1 of the API).
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int cpu, void *data);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id,
					       struct qemu_plugin_tb *tb);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   qemu_plugin_vcpu_tb_trans_cb_t cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						enum qemu_plugin_op op, void *counter,
						uint64_t by);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

EXPORT int qemu_plugin_version = 1;

// li r0,0x5c01 and li r0,0x5c02; mov x9,#0x5c01 and mov x9,#0x5c02
static const uint32_t ppc64_marks[] = { 0x38005c01, 0x38005c02 };
static const uint32_t aarch64_marks[] = { 0xd28b8029, 0xd28b8049 };
enum { LINK = 1, DEPTH = 64 };

static FILE *out;
static uint64_t first, last; // addresses
static bool is_ppc64;
static bool counting;
static uint64_t insns, insns_before, inside, inside_before;
static unsigned long indirect, unbalanced;

// Return addresses of open calls: the newest DEPTH ones.
static uint64_t stack[DEPTH];
static unsigned int depth;
// The last executed return: its address and its expected target.
static uint64_t return_at, return_to;

static void begin(unsigned int cpu, void *data)
{
	(void)cpu, (void)data;
	counting = true;
	insns_before = insns;
	inside_before = inside;
	indirect = unbalanced = 0;
	depth = 0;
	return_to = 0;
}

static void end(unsigned int cpu, void *data)
{
	(void)cpu, (void)data;
	if (counting) {
		fprintf(out, "%lu %lu %lu %lu\n", (unsigned long)(insns - insns_before),
			indirect, unbalanced, (unsigned long)(inside - inside_before));
		fflush(out);
	}
	counting = false;
}

// A branch with link pushes an address, whether direct or through a register.
static void call(unsigned int cpu, void *address)
{
	(void)cpu;
	if (!counting)
		return;
	if (depth == DEPTH)
		memmove(stack, stack + 1, (--depth) * sizeof(*stack));
	stack[depth++] = (uint64_t)(uintptr_t)address + 4;
}

static void jump(unsigned int cpu, void *data)
{
	(void)cpu, (void)data;
	indirect += counting;
}

static void leave(unsigned int cpu, void *address)
{
	(void)cpu;
	if (!counting)
		return;
	return_at = (uint64_t)(uintptr_t)address;
	return_to = depth ? stack[--depth] : 1; // 1: no valid address
}

// Called for the code that follows a branch. A conditional return may not be taken.
static void block(unsigned int cpu, void *data)
{
	uint64_t address = (uint64_t)(uintptr_t)data;

	(void)cpu;
	if (!counting || !return_to)
		return;
	if (address == return_at + 4 && return_to != address) {
		if (return_to != 1)
			depth++;
	} else {
		unbalanced += address != return_to;
	}
	return_to = 0;
}

// Power ISA, Book I: I-form (18), B-form (16), and XL-form (19) with bclr and bcctr.
static void look_at_branch(struct qemu_plugin_insn *insn, uint32_t word, void *address)
{
	uint32_t opcode = word >> 26, extended = word >> 1 & 0x3ff;
	qemu_plugin_vcpu_udata_cb_t cb = NULL;

	if (opcode == 18 && word & LINK)
		cb = call;
	else if (opcode == 19 && extended == 16)
		cb = word & LINK ? call : leave;
	else if (opcode == 19 && extended == 528)
		cb = jump;
	if (cb)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS, address);
	if (cb == jump && word & LINK)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, call, QEMU_PLUGIN_CB_NO_REGS, address);
}

static void look_at(struct qemu_plugin_insn *insn)
{
	const uint32_t *marks = is_ppc64 ? ppc64_marks : aarch64_marks;
	uint64_t address = qemu_plugin_insn_vaddr(insn);
	uint32_t word;

	memcpy(&word, qemu_plugin_insn_data(insn), sizeof(word));
	qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &insns, 1);
	if (address >= first && address < last)
		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
							   &inside, 1);
	if (word == marks[0] || word == marks[1])
		qemu_plugin_register_vcpu_insn_exec_cb(insn, word == marks[0] ? begin : end,
						       QEMU_PLUGIN_CB_NO_REGS, NULL);
	else if (is_ppc64)
		look_at_branch(insn, word, (void *)(uintptr_t)address);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)qemu_plugin_tb_vaddr(tb));
	for (i = 0; i < n; i++)
		look_at(qemu_plugin_tb_get_insn(tb, i));
}

// The first member of `info` is the name of the target.
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	int i;

	is_ppc64 = !strcmp(*(const char *const *)info, "ppc64");
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
		else if (!strncmp(argv[i], "first=", 6))
			first = strtoull(argv[i] + 6, NULL, 16);
		else if (!strncmp(argv[i], "last=", 5))
			last = strtoull(argv[i] + 5, NULL, 16);
	}
	if (!out) {
		fprintf(stderr, "branches: the option out=FILE is missing, or cannot be written\n");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
