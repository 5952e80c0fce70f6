// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What another compiler contributes to the program of features.cpp.
int foreign_call(int (*function)(int), int value);
int foreign_call(int (*function)(int), int value) { return function(value) + 1; }
