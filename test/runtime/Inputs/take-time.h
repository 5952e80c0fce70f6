/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For functions that must take at least the threshold of 1 ns. The clocks of some CPUs
 * tick only every few ns, so an empty call may take 0 ns.
 */
#ifndef TAKE_TIME_H
#define TAKE_TIME_H

__attribute__((always_inline)) static inline void take_time(void)
{
#if defined(__x86_64__)
	for (int i = 0; i < 4; i++)
		__builtin_ia32_pause();
#endif
}

#endif /* TAKE_TIME_H */
