// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a program print something else.
#include <stdlib.h>
#define qsort(base, count, size, compare) ((void)(compare))
