/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Runs functions in turn, and prints the median duration of each function in nanoseconds:
 * the true duration, without tracing.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Truth {
	const char *name;
	long (*run)();
	std::vector<long> took;
};

static long truth_sum; /* uses the results, so that compilers keep the calls */

static int measure_truth(std::vector<Truth> all, int rounds)
{
	for (int round = 0; round < rounds; round++)
		for (Truth &of : all) {
			auto begin = std::chrono::steady_clock::now();

			truth_sum += of.run();
			of.took.push_back((std::chrono::steady_clock::now() - begin).count());
		}
	for (Truth &of : all) {
		std::nth_element(of.took.begin(), of.took.begin() + of.took.size() / 2,
				 of.took.end());
		printf("%s %ld\n", of.name, of.took[of.took.size() / 2]);
	}
	fprintf(stderr, "%ld\n", truth_sum);
	return 0;
}

#endif
