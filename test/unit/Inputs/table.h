/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the tests of encoders: checks that count failures. */
#ifndef TABLE_H
#define TABLE_H

#include <stdio.h>

static int checks, failures;

#define CHECK(cond)                                                            \
	do {                                                                   \
		checks++;                                                      \
		if (!(cond)) {                                                 \
			failures++;                                            \
			printf("line %d: %s\n", __LINE__, #cond);              \
		}                                                              \
	} while (0)

/* For a row of a table: names the row that failed. */
#define CHECK_ROW(i, cond)                                                     \
	do {                                                                   \
		checks++;                                                      \
		if (!(cond)) {                                                 \
			failures++;                                            \
			printf("line %d, row %d: %s\n", __LINE__, (int)(i),    \
			       #cond);                                         \
		}                                                              \
	} while (0)

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

#endif /* TABLE_H */
