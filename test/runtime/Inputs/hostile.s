# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Functions with names that would be markup on a page. Their code never runs.
.macro named name
	.p2align 4
	.globl "\name"
	.type "\name",@function
"\name":
	.quad 0, 0
	.size "\name", 16
.endm
	.text
	.skip 0x10
named "<img src=x onerror=bad()>"
	.skip 0x10
named "</script><script>bad()</script>"
named "a'b`${bad()}&lt;<!--"
