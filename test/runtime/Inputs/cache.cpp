// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls C++ functions for ever; the program has thousands of others. Prints "ready"
// after the first calls.
//	cache --private | [PLUGIN [LATER]]
// --private: no other process may inspect this one. LATER is a link to a module.
// The program loads the module when the link exists, and then removes the link.
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

#define OPAQUE __attribute__((noinline, used))

struct Cache {
	int hits() const;
	template <typename T> T get(T key);
};

OPAQUE int Cache::hits() const
{
	__asm__ volatile("");
	return 1;
}

template <typename T> OPAQUE T Cache::get(T key)
{
	const timespec wait = { .tv_sec = 0, .tv_nsec = 2000000 };

	nanosleep(&wait, nullptr);
	return key;
}

template <int N> OPAQUE int member()
{
	__asm__ volatile("");
	return N;
}

template <int... N> int all(std::integer_sequence<int, N...>)
{
	const int results[] = { member<N>()... };

	return results[0];
}

int main(int argc, char **argv)
{
	char module[PATH_MAX];
	Cache cache;

	if (argc > 1 && !strcmp(argv[1], "--private"))
		prctl(PR_SET_DUMPABLE, 0);
	else if (argc > 1 && !dlopen(argv[1], RTLD_NOW))
		return 1;
	all(std::make_integer_sequence<int, 3000>());
	for (int i = 0;; i++) {
		cache.get(cache.hits());
		if (argc > 2 && realpath(argv[2], module)) {
			if (!dlopen(module, RTLD_NOW))
				return 1;
			unlink(argv[2]);
		}
		if (i == 5) {
			puts("ready");
			fflush(stdout);
		}
	}
}
