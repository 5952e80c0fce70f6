/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Opens the given BPF objects and prints the message for each, then runs the programs
 * for f().
 */
#include <patchbay/bpf.h>

#include "check.h"

static void note(void *arg, const char *name, int error, const char *reason)
{
	printf("%s%d %s: %s\n", (const char *)arg, error, name ? name : "-",
	       reason);
}

OPAQUE long f(long a, long b) { return a + b; }

static void run(struct patchbay_bpf_object *object)
{
	if (patchbay_bpf_attach_all(object, NULL) < 0)
		return;
	for (long i = 0; i < 64; i++)
		f(i % 2 ? i : -i, i % 3 ? i << i : (long)&i);
	puts("ran");
}

int main(int argc, char **argv)
{
	const struct patchbay_bpf_opts opts = {
		.size = sizeof(opts), .log = note, .log_arg = "log ",
	};
	struct patchbay_bpf_object *object;

	for (int i = 1; i < argc; i++) {
		int error = patchbay_bpf_open(argv[i], &opts, &object);

		printf("result %d: %s\n", error, patchbay_bpf_strerror(error));
		if (!error)
			run(object);
		if (!error)
			patchbay_bpf_close(object);
	}
	return 0;
}
