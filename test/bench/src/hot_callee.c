/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Aligned, so that all systems' functions lie in one cache line, XRay's with
 * its sleds and ours alike. */
unsigned int hot_callee(unsigned int x);

__attribute__((aligned(64))) unsigned int hot_callee(unsigned int x)
{
	return x + 1;
}
