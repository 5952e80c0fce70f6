/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any number of arguments survives a handler that overwrites all call-clobbered
 * registers. Trampolines save only the registers that the record lists.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// RUN: %build -fcf-protection=branch -O0 %s -o %t.ibt %link
// RUN: %t.ibt | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <stdarg.h>

struct big {
	long a[4];
};
struct small {
	long a, b;
};

/*
 * Code that reads a nested function's static chain, and the index of the first stack
 * argument's word.
 */
#if defined(__x86_64__)
#define READ_STATIC_CHAIN "mov %%r10, %0"
#define STACK_ARGS 1
#elif defined(__aarch64__)
#define READ_STATIC_CHAIN "mov %0, x15"
#define STACK_ARGS 0
#elif defined(__powerpc64__)
#define READ_STATIC_CHAIN "mr %0, 11"
#define STACK_ARGS 12
#elif defined(__riscv_landing_pad)
#define READ_STATIC_CHAIN "mv %0, t3"
#define STACK_ARGS 0
#elif defined(__riscv)
#define READ_STATIC_CHAIN "mv %0, t2"
#define STACK_ARGS 0
#endif

typedef long L;
/*
 * Within this program, a register with a fixed meaning (such as the TOC) leads to its
 * address.
 */
volatile L global = 5;
OPAQUE static L take_global(void) { return global; }
OPAQUE static L take0(void) { return 42; }
OPAQUE static L take1(L a) { return a; }
OPAQUE static L take2(L a, L b) { return a * 10 + b; }
OPAQUE static L take3(L a, L b, L c) { return take2(a, b) * 10 + c; }
OPAQUE static L take4(L a, L b, L c, L d) { return take3(a, b, c) * 10 + d; }
OPAQUE static L take5(L a, L b, L c, L d, L e)
{
	return take4(a, b, c, d) * 10 + e;
}
OPAQUE static L take6(L a, L b, L c, L d, L e, L f)
{
	return take5(a, b, c, d, e) * 10 + f;
}
OPAQUE static L take8(L a, L b, L c, L d, L e, L f, L g, L h)
{
	return (take6(a, b, c, d, e, f) * 10 + g) * 10 + h;
}
/* Takes a hidden result pointer first, and an argument in a pair of registers. */
OPAQUE static struct big take_sret(L a, L b)
{
	return (struct big){ { a, b, a + b, a * b } };
}
OPAQUE static L take_pair(L a, struct small s, L b)
{
	return take4(a, s.a, s.b, b);
}
OPAQUE static L take_wide(L a, __int128 w) { return take2(a, (L)(w >> 64)); }
OPAQUE static L take_stack(L a, struct big s) { return take2(a, s.a[3]); }
OPAQUE static L take_variadic(int nr, ...)
{
	va_list ap;
	L sum = 0;

	va_start(ap, nr);
	while (nr--)
		sum = sum * 10 + va_arg(ap, L);
	va_end(ap);
	return sum;
}

/* Mimics a nested function that reads a variable of its parent function. */
OPAQUE static L take_chain(L a)
{
	L *parent;

	__asm__ volatile(READ_STATIC_CHAIN : "=r"(parent));
	return take2(*parent, a);
}
/* The last arguments are on the stack, after all argument registers of every target. */
OPAQUE static L take_many(L a, L b, L c, L d, L e, L f, L g, L h, L i, L j)
{
	return take2(take8(a, b, c, d, e, f, g, h), i) * 10 + j;
}

static long calls;

/* Overwrites all call-clobbered registers, and those that the trampoline uses. */
static inline void overwrite_registers(void)
{
#if defined(__x86_64__)
	__asm__ volatile(
		"mov $-1, %%rax\n\tmov %%rax, %%rcx\n\tmov %%rax, %%rdx\n\t"
		"mov %%rax, %%rsi\n\tmov %%rax, %%rdi\n\tmov %%rax, %%r8\n\t"
		"mov %%rax, %%r9\n\tmov %%rax, %%r10\n\tmov %%rax, %%r11\n\tstc" ::
			: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
			  "r11", "cc");
#elif defined(__aarch64__)
	/* Do not overwrite x18, which belongs to the platform. */
	__asm__ volatile(
		".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,30\n\t"
		"mov x\\n, #-1\n\t.endr\n\tcmp x0, #0" ::
			: "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
			  "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
			  "x17", "x30", "cc");
#elif defined(__powerpc64__)
	/*
	 * Overwrite r2, too, because a caller through a pointer restores it. r2 cannot
	 * be in the clobber list. In CR, overwrite all fields except 2 to 4.
	 */
	__asm__ volatile(
		".irp n,0,2,3,4,5,6,7,8,9,10,11,12\n\tli \\n, -1\n\t.endr\n\t"
		"mtlr 12\n\tmtctr 12\n\tmtxer 12\n\tmtcrf 0xc7, 12" ::
			: "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10",
			  "r11", "r12", "lr", "ctr", "xer", "cr0", "cr1", "cr5",
			  "cr6", "cr7", "memory");
#elif defined(__riscv)
	__asm__ volatile(
		".irp n,ra,t0,t1,t2,t3,t4,t5,t6,a0,a1,a2,a3,a4,a5,a6,a7\n\t"
		"li \\n, -1\n\t.endr" ::
			: "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0",
			  "a1", "a2", "a3", "a4", "a5", "a6", "a7");
#else
#error "what may a callee change on this architecture?"
#endif
}

__attribute__((noinline)) static void
overwrite(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
	  struct patchbay_regs *regs)
{
	const L *stack = (const L *)patchbay_regs_sp(regs);

	(void)parent_ip;
	if (ip == (uintptr_t)take_many)
		CHECK_EQ(stack[STACK_ARGS], cell->record->gp_args + 1);
	calls++;
	overwrite_registers();
}

static void check_all(void)
{
	struct big b;
	L chain = 3;

	CHECK_EQ(take_global(), 5);
	CHECK_EQ(take0(), 42);
	CHECK_EQ(take1(1), 1);
	CHECK_EQ(take2(1, 2), 12);
	CHECK_EQ(take3(1, 2, 3), 123);
	CHECK_EQ(take4(1, 2, 3, 4), 1234);
	CHECK_EQ(take5(1, 2, 3, 4, 5), 12345);
	CHECK_EQ(take6(1, 2, 3, 4, 5, 6), 123456);
	CHECK_EQ(take8(1, 2, 3, 4, 5, 6, 7, 8), 12345678);
	b = take_sret(3, 4);
	CHECK_EQ(b.a[0] * 1000 + b.a[1] * 100 + b.a[2] * 10 + b.a[3] / 12, 3471);
	CHECK_EQ(take_pair(1, (struct small){ 2, 3 }, 4), 1234);
	CHECK_EQ(take_wide(1, (__int128)2 << 64), 12);
	CHECK_EQ(take_stack(1, (struct big){ { 0, 0, 0, 2 } }), 12);
	CHECK_EQ(take_variadic(7, 1l, 2l, 3l, 4l, 5l, 6l, 7l), 1234567);
	CHECK_EQ(take_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 1234567900);
	CHECK_EQ(__builtin_call_with_static_chain(take_chain(4), &chain), 34);
}

int main(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = overwrite };

	for (attr.flags = 0; attr.flags <= PATCHBAY_OPS_FAST; attr.flags++) {
		struct patchbay_ops *ops;

		CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
		CHECK_EQ(patchbay_arm(ops, "take*", 0), 16);
		check_all(); /* the first call of a thread takes another path */
		calls = 0;
		check_all();
		/* take2 to take6 and take8 call one another */
		CHECK_EQ(calls, 16 + 1 + 2 + 3 + 4 + 5 + 3 + 1 + 1 + 1 + 7);
		CHECK_EQ(patchbay_ops_destroy(ops), 0);
	}
	puts("done");
	return 0;
}
