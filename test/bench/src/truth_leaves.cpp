/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that call small functions very often, and a function without calls. */
#include "truth.h"

#define NOINLINE __attribute__((noinline))

static double cells[3][16][16];

NOINLINE static double dot(int row, int column)
{
	double sum = 0;

	for (int k = 0; k < 16; k++)
		sum += cells[0][row][k] * cells[1][k][column];
	return sum;
}

extern "C" long multiply()
{
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++)
			cells[2][i][j] = dot(i, j) + 1;
	return (long)cells[2][3][4];
}

NOINLINE static unsigned long fnv(const char *text, size_t size)
{
	unsigned long hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
	return hash;
}

extern "C" long hash_words()
{
	static const char text[] = "some words of text that have eight letters or so each";
	unsigned long sum = 0;

	for (size_t i = 0; i < 1000; i++)
		sum += fnv(text + i % 40, 12);
	return (long)sum;
}

NOINLINE static void sift(int *heap, size_t nr)
{
	for (size_t at = 0, next; (next = 2 * at + 1) < nr; at = next) {
		next += next + 1 < nr && heap[next + 1] > heap[next];
		if (heap[at] >= heap[next])
			return;
		std::swap(heap[at], heap[next]);
	}
}

extern "C" long sort_heap()
{
	static int heap[400];

	for (int i = 0; i < 400; i++)
		heap[i] = 400 - i;
	for (size_t nr = 400; --nr;) {
		std::swap(heap[0], heap[nr]);
		sift(heap, nr);
	}
	return heap[0];
}

extern "C" long sum_alone()
{
	static const std::vector<long> numbers(100000, 3);
	const long *of = numbers.data();
	long sum = 0;

	for (int i = 0; i < 100000; i++)
		sum += of[i] ^ sum >> 3;
	return sum;
}

int main(int, char **argv)
{
	return measure_truth({ { "multiply", multiply, {} },
			       { "hash_words", hash_words, {} },
			       { "sort_heap", sort_heap, {} },
			       { "sum_alone", sum_alone, {} } },
			     atoi(argv[1]));
}
