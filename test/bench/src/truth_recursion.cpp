/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recursive functions. */
#include "truth.h"

#include <memory>
#include <string>

static long place(int left, unsigned int columns, unsigned int down, unsigned int up)
{
	unsigned int open = ~(columns | down | up) & 0xff;
	long ways = 0;

	if (!left)
		return 1;
	for (; open; open &= open - 1) {
		const unsigned int at = open & -open;

		ways += place(left - 1, columns | at, (down | at) << 1, (up | at) >> 1);
	}
	return ways;
}

extern "C" long place_queens()
{
	return place(8, 0, 0, 0);
}

struct Node {
	std::string key;
	std::unique_ptr<Node> less, more;
};

static void insert(std::unique_ptr<Node> &into, const std::string &key)
{
	if (!into)
		into.reset(new Node{ key, nullptr, nullptr });
	else
		insert(key < into->key ? into->less : into->more, key);
}

static unsigned long hash(const Node *of)
{
	unsigned long sum = 0;

	if (!of)
		return 0;
	for (char c : of->key)
		sum = (sum ^ (unsigned char)c) * 0x100000001b3;
	return sum + hash(of->less.get()) * 3 + hash(of->more.get());
}

static void fill(std::unique_ptr<Node> &root)
{
	unsigned int random = 1;

	for (int i = 0; i < 300; i++) {
		random = random * 1664525 + 1013904223;
		insert(root, "a long key of a node: " + std::to_string(random));
	}
}

extern "C" long fill_tree()
{
	std::unique_ptr<Node> root;

	fill(root);
	return (long)root->key.size();
}

extern "C" long hash_tree()
{
	static const std::unique_ptr<Node> root = [] {
		std::unique_ptr<Node> made;

		fill(made);
		return made;
	}();

	return (long)hash(root.get());
}

static void sort(long *of, long *spare, size_t nr)
{
	const size_t half = nr / 2;

	if (nr < 16) {
		for (size_t i = 1; i < nr; i++)
			for (size_t j = i; j && of[j] < of[j - 1]; j--)
				std::swap(of[j], of[j - 1]);
		return;
	}
	sort(of, spare, half);
	sort(of + half, spare, nr - half);
	std::merge(of, of + half, of + half, of + nr, spare);
	std::copy(spare, spare + nr, of);
}

extern "C" long sort_numbers()
{
	static long of[4000], spare[4000];
	unsigned int random = 1;

	for (long &number : of)
		number = (random = random * 1664525 + 1013904223) >> 8;
	sort(of, spare, 4000);
	return of[0];
}

int main(int, char **argv)
{
	return measure_truth({ { "place_queens", place_queens, {} },
			       { "fill_tree", fill_tree, {} },
			       { "hash_tree", hash_tree, {} },
			       { "sort_numbers", sort_numbers, {} } },
			     atoi(argv[1]));
}
