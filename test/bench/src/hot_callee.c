/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Aligned, so that the function is in one cache line in every system, even with
 * XRay's sleds. */
unsigned int hot_callee(unsigned int x);

__attribute__((aligned(64))) unsigned int hot_callee(unsigned int x)
{
	return x + 1;
}
