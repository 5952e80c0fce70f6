/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Valgrind requests of functions/own_stack.c: stubs. */
#ifndef PB_TRACE_ARCH_VALGRIND_H
#define PB_TRACE_ARCH_VALGRIND_H

#include <stdint.h>

#define PB_VALGRIND_STACK_REGISTER 0x1501
#define PB_VALGRIND_STACK_DEREGISTER 0x1502

static inline uint64_t pb_valgrind_request(uint64_t request, uint64_t arg0, uint64_t arg1)
{
	(void)request;
	(void)arg0;
	(void)arg1;
	return 0;
}

#endif /* PB_TRACE_ARCH_VALGRIND_H */
