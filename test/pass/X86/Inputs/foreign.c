// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of features.cpp's program that another compiler compiles.
int foreign_call(int (*function)(int), int value);
int foreign_call(int (*function)(int), int value) { return function(value) + 1; }
