/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Valgrind requests of functions/own_stack.c. */
#ifndef PB_TRACE_ARCH_VALGRIND_H
#define PB_TRACE_ARCH_VALGRIND_H

#include <stdint.h>

#define PB_VALGRIND_STACK_REGISTER 0x1501
#define PB_VALGRIND_STACK_DEREGISTER 0x1502

/*
 * Valgrind recognizes these instructions (VALGRIND_DO_CLIENT_REQUEST in its valgrind.h).
 * Without Valgrind the instructions have no effect, because they rotate %rdi by 128 bits,
 * and the function returns 0.
 */
static inline uint64_t pb_valgrind_request(uint64_t request, uint64_t arg0, uint64_t arg1)
{
	volatile uint64_t args[6] = { request, arg0, arg1 };
	uint64_t result = 0;

	__asm__ volatile("rolq $3, %%rdi\n\t"
			 "rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\t"
			 "rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(result)
			 : "a"(args)
			 : "cc", "memory");
	return result;
}

#endif /* PB_TRACE_ARCH_VALGRIND_H */
