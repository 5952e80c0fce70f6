# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes of the text in FROM a C++ literal in TO: cmake -DFROM=... -DTO=... -P this.
file(READ ${FROM} text)
# Compilers allow 64 KB in a literal; there is no ")~" in assembly.
file(WRITE ${TO} "R\"~(${text})~\"\n")
