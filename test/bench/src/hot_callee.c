/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The alignment puts the function into one cache line in all systems, even with XRay's
 * sleds.
 */
unsigned int hot_callee(unsigned int x);

__attribute__((aligned(64))) unsigned int hot_callee(unsigned int x)
{
	return x + 1;
}
