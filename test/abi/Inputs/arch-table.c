/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints a line for each row of the table of architectures. */
#include <patchbay/abi.h>
#define ROW(id, triple, llvm, linux_name, machine, pad) ROW triple llvm machine pad
PATCHBAY_ARCH_TABLE(ROW)
