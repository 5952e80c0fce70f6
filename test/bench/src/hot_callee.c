/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Aligned, so that the function is in one cache line in all systems, with
 * XRay's sleds and ours alike. */
unsigned int hot_callee(unsigned int x);

__attribute__((aligned(64))) unsigned int hot_callee(unsigned int x)
{
	return x + 1;
}
