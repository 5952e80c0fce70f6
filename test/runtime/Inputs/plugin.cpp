// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module that the program loads later.
namespace plugin {
__attribute__((noinline, used)) int load(int a)
{
	return a + 1;
}
} // namespace plugin

extern "C" __attribute__((noinline, used)) int plugin_init(int a)
{
	return a + 2;
}
