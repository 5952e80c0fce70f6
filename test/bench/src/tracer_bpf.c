/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Patchbay, with links to the BPF programs of programs.bpf.c. The option is
 * "KIND/WHERE/FILE". WHERE "one" attaches only to the function of the hot loop, "all" to
 * every function of the program.
 */
#include "worker.h"

#include <patchbay/bpf.h>

#include <stdio.h>

static struct patchbay_bpf_object *object;
static struct patchbay_bpf_program *attached;
static char message[256];

static void note(void *arg, const char *name, int error, const char *reason)
{
	(void)arg, (void)error;
	snprintf(message, sizeof(message), "%s: %s", name ? name : "open",
		 reason);
}

static const char *attach(const char *option, const char *what)
{
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.glob = "*" };
	const struct patchbay_link_opts all = { .size = sizeof(all),
						.filter = &filter };
	char kind[16], where[16], name[32];
	int nr;

	if (sscanf(option, "%15[^/]/%15[^/]", kind, where) != 2)
		return "which kind of link?";
	snprintf(name, sizeof(name), "%s_%s", kind, what);
	attached = patchbay_bpf_find_program(object, name);
	if (!attached)
		return "no program of this kind";
	nr = patchbay_bpf_attach(attached, *where == 'a' ? &all : NULL);
	return nr > 0 ? NULL : patchbay_bpf_strerror(nr);
}

const char *tracer_count(const char *option)
{
	const struct patchbay_bpf_opts opts = { .size = sizeof(opts),
						.log = note };
	char path[4096];

	if (sscanf(option, "%*[^/]/%*[^/]/%4095s", path) != 1)
		return "which file?";
	if (patchbay_bpf_open(path, &opts, &object))
		return message;
	return attach(option, "count");
}

const char *tracer_empty(const char *option)
{
	if (patchbay_bpf_detach(attached))
		return "patchbay_bpf_detach failed";
	return attach(option, "empty");
}

uint64_t tracer_events(void)
{
	struct patchbay_bpf_map *map = patchbay_bpf_find_map(object, ".bss");
	uint32_t zero = 0;
	uint64_t calls = 0;

	patchbay_bpf_map_lookup(map, &zero, &calls);
	return calls;
}
