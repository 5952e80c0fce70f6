/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * If the verifier accepts a random BPF program, the engine and a plain interpreter,
 * which checks each access, give the same result and leave the same memory.
 *
 * The test runs some ten thousand programs; the target fuzz-bpf runs ten million. The
 * program's arguments are the number of programs and the number of the first one:
 *   bpf-fuzz.c.tmp 1 4711
 * A number always makes the same program, which is printed if it fails.
 */
// REQUIRES: bpf
// DEFINE: %{bpf} = %patchbay_source/runtime/bpf
// RUN: %clang -O1 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover %s %S/Inputs/bpf-fuzz/*.c %{bpf}/engine.c %{bpf}/flow.c %{bpf}/hash.c %{bpf}/helpers.c %{bpf}/interpret.c %{bpf}/map.c %{bpf}/ringbuf.c %{bpf}/state.c %{bpf}/verify*.c -I %patchbay_include -I %{bpf} -I %S/Inputs/bpf-fuzz -o %t
// RUN: %t 30000 1 | FileCheck %s

/* The verifier accepts most programs, also some damaged ones. Every instruction is used. */
// CHECK: {{^}}taken: {{[1-9][0-9][0-9][0-9][0-9]}} of 30000{{$}}
// CHECK: {{^}}damaged and taken: {{[1-9][0-9][0-9]}}
// CHECK: {{^}}instructions that were never carried out: 0{{$}}
// CHECK: {{^}}failures: 0{{$}}

#include "engine.h"
#include "generate.h"
#include "interpret.h"

#include <stdio.h>
#include <stdlib.h>

/* The current program and its number, for a debugger after a crash. */
static unsigned long long now;
static const struct pb_bpf_code *running;

static void print_program(const struct pb_bpf_code *code)
{
	for (uint32_t i = 0; i < code->nr_insns; i++) {
		const struct bpf_insn *insn = &code->insns[i];

		printf("  %3u: %02x r%d r%d %d %d\n", i, insn->code,
		       insn->dst_reg, insn->src_reg, insn->off, insn->imm);
	}
}

void __asan_on_error(void);
const char *__asan_default_options(void);

void __asan_on_error(void)
{
	printf("program %llu ends the fuzzer\n", now);
	if (running)
		print_program(running);
	fflush(stdout);
}

const char *__asan_default_options(void)
{
	/*
	 * A program's memory is freed with the program, so keeping freed memory for
	 * long would find no more errors.
	 */
	return "handle_sigill=1:handle_sigfpe=1:handle_sigbus=1:"
	       "quarantine_size_mb=1";
}

static unsigned long long failures, taken, damaged, unclear;

static void fail(const struct pb_bpf_code *code, const char *what,
		 uint64_t result, const struct outcome *judge)
{
	printf("program %llu: %s, result %#llx, expected %#llx, at %u\n", now,
	       what, (unsigned long long)result,
	       (unsigned long long)judge->result, judge->index);
	if (!failures++)
		print_program(code);
}

/*
 * Runs the program in the engine and then in the interpreter, with the same initial
 * memory and the same stack address.
 */
static void compare(const struct pb_bpf_code *code, struct world *world,
		    const struct pb_bpf_machine *machine)
{
	struct outcome judge;
	uint64_t result, stack;
	const char *differs;

	world_save(0);
	result = pb_bpf_machine_run(machine, world->context);
	stack = world_stack(world);
	world_save(1);
	world_restore(0);
	judge = interpret(code, world, stack);
	differs = world_differs(1);
	if (judge.fault)
		fail(code, judge.fault, result, &judge);
	else if (judge.unclear)
		unclear++;
	else if (differs)
		fail(code, differs, result, &judge);
	else if (judge.result != result)
		fail(code, "another result", result, &judge);
	if (!world_drain(world))
		fail(code, "a record was left behind", result, &judge);
}

/* Does the program use the map of the probe? Only the probe itself may. */
static int uses_probe(const struct pb_bpf_code *code)
{
	for (uint32_t i = NR_PROBE; i < code->nr_insns; i++) {
		const struct bpf_insn *insn = &code->insns[i];

		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW) &&
		    insn->src_reg && insn->imm == PROBE)
			return 1;
	}
	return 0;
}

static void run(const struct pb_bpf_code *code, struct world *world)
{
	struct pb_bpf_machine machine;

	running = code;
	if (pb_bpf_machine_load(&machine, code)) {
		perror("bpf-fuzz");
		exit(2);
	}
	compare(code, world, &machine);
	pb_bpf_machine_unload(&machine);
	running = NULL;
}

static void try(unsigned long long number, struct world *world)
{
	static struct bpf_insn insns[MAX_INSNS];
	uint64_t random = number * 0x100000001b3;
	int is_damaged;
	const struct pb_bpf_code code = {
		.insns = insns,
		.nr_insns = generate(insns, &random, &is_damaged),
		.maps = world->maps,
		.nr_maps = NR_MAPS,
	};
	struct pb_bpf_uses uses;
	const char *reason;
	uint32_t index;

	now = number;
	world_set_words(world, &random);
	if (uses_probe(&code) || pb_bpf_verify(&code, &uses, &index, &reason))
		return;
	taken++;
	damaged += is_damaged;
	run(&code, world);
}

/* Prints statistics of a long run. */
static void say_progress(unsigned long long first)
{
	printf("programs %llu to %llu: %llu taken so far, %llu failures\n",
	       first, now, taken, failures);
	fflush(stdout);
}

/*
 * Counts the instructions of RFC 9669, except those for packets, that were never
 * executed.
 */
static unsigned int nr_never(void)
{
	static const uint8_t ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV,
				       BPF_OR,	BPF_AND, BPF_LSH, BPF_RSH,
				       BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH };
	static const uint8_t jumps[] = { BPF_JEQ,  BPF_JNE,  BPF_JGT,  BPF_JGE,
					 BPF_JLT,  BPF_JLE,  BPF_JSGT, BPF_JSGE,
					 BPF_JSLT, BPF_JSLE, BPF_JSET };
	static const uint8_t sizes[] = { BPF_B, BPF_H, BPF_W, BPF_DW };
	static const uint8_t others[] = {
		BPF_ALU | BPF_NEG,
		BPF_ALU64 | BPF_NEG,
		BPF_ALU | BPF_END | BPF_TO_LE,
		BPF_ALU | BPF_END | BPF_TO_BE,
		BPF_ALU64 | BPF_END,
		BPF_LD | BPF_IMM | BPF_DW,
		BPF_LDX | BPF_MEMSX | BPF_B,
		BPF_LDX | BPF_MEMSX | BPF_H,
		BPF_LDX | BPF_MEMSX | BPF_W,
		BPF_STX | BPF_ATOMIC | BPF_W,
		BPF_STX | BPF_ATOMIC | BPF_DW,
		BPF_JMP | BPF_JA,
		BPF_JMP32 | BPF_JA,
		BPF_JMP | BPF_CALL,
		BPF_JMP | BPF_EXIT,
	};
	unsigned int never = 0;

	for (size_t i = 0; i < sizeof(ops); i++) {
		never += !nr_executed[BPF_ALU64 | ops[i] | BPF_K];
		never += !nr_executed[BPF_ALU64 | ops[i] | BPF_X];
		never += !nr_executed[BPF_ALU | ops[i] | BPF_K];
		never += !nr_executed[BPF_ALU | ops[i] | BPF_X];
	}
	for (size_t i = 0; i < sizeof(jumps); i++) {
		never += !nr_executed[BPF_JMP | jumps[i] | BPF_K];
		never += !nr_executed[BPF_JMP | jumps[i] | BPF_X];
		never += !nr_executed[BPF_JMP32 | jumps[i] | BPF_K];
		never += !nr_executed[BPF_JMP32 | jumps[i] | BPF_X];
	}
	for (size_t i = 0; i < sizeof(sizes); i++) {
		never += !nr_executed[BPF_LDX | BPF_MEM | sizes[i]];
		never += !nr_executed[BPF_ST | BPF_MEM | sizes[i]];
		never += !nr_executed[BPF_STX | BPF_MEM | sizes[i]];
	}
	for (size_t i = 0; i < sizeof(others); i++)
		never += !nr_executed[others[i]];
	return never;
}

int main(int argc, char **argv)
{
	unsigned long long nr = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned long long first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct world world;

	world_make(&world);
	for (unsigned long long i = 0; i < nr && failures < 20; i++) {
		try(first + i, &world);
		if (!((i + 1) % 1000000))
			say_progress(first + i - 999999);
	}
	printf("taken: %llu of %llu\n", taken, nr);
	printf("damaged and taken: %llu\n", damaged);
	printf("results that depend on time or stale memory: %llu\n", unclear);
	printf("instructions that were never carried out: %u\n", nr_never());
	printf("failures: %llu\n", failures);
	return failures != 0;
}
