/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "program.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int find_kind(const char *name, enum patchbay_link_kind *kind)
{
	static const char *const names[] = {
		[PATCHBAY_FENTRY] = "fentry",
		[PATCHBAY_FEXIT] = "fexit",
		[PATCHBAY_MODIFY_RETURN] = "fmod-ret",
		[PATCHBAY_SESSION] = "session",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name)) {
			*kind = (enum patchbay_link_kind)i;
			return 0;
		}
	return -EINVAL;
}

/*
 * Sets *@program. If the symbol is a function, it is the only handler, so fills in @only.
 * Otherwise the symbol must be a struct patchbay_program, possibly of an older header.
 */
static int describe_program(const struct pb_program_request *request,
			    enum patchbay_link_kind kind, void *address,
			    const ElfW(Sym) *symbol, struct patchbay_program *only,
			    const struct patchbay_program **program)
{
	switch (ELF64_ST_TYPE(symbol->st_info)) {
	case STT_OBJECT:
		*program = address;
		if (symbol->st_size < PATCHBAY_PROGRAM_SIZE_VER0 ||
		    symbol->st_size < (*program)->size)
			break;
		return 0;
	case STT_FUNC:
		if (kind == PATCHBAY_SESSION) {
			pb_say(request->client,
			       "%s: a function, and a session needs two "
			       "handlers: name a struct patchbay_program",
			       request->symbol);
			return -EINVAL;
		}
		if (kind == PATCHBAY_FEXIT)
			only->exit = (patchbay_handler)address;
		else
			only->entry = (patchbay_handler)address;
		*program = only;
		return 0;
	}
	pb_say(request->client,
	       "%s: neither a function nor a struct patchbay_program",
	       request->symbol);
	return -EINVAL;
}

static int find_program(const struct pb_program_request *request,
			enum patchbay_link_kind kind, void *handle,
			struct patchbay_program *only,
			const struct patchbay_program **program)
{
	void *address = dlsym(handle, request->symbol);
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!address ||
	    !dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    !symbol || address != info.dli_saddr) {
		pb_say(request->client, "%s: no such symbol in %s",
		       request->symbol, request->path);
		return -ESRCH;
	}
	return describe_program(request, kind, address, symbol, only, program);
}

static int attach_symbol(struct pb_program_request *request, void *handle,
			 struct patchbay_link **link)
{
	const struct patchbay_link_opts opts = {
		.size = sizeof(opts),
		.filter = &request->filter,
		.flags = request->flags,
		.log = pb_program_log,
		.log_arg = request,
	};
	struct patchbay_program only = { .size = sizeof(only) };
	const struct patchbay_program *program;
	enum patchbay_link_kind kind;
	int error = find_kind(request->kind, &kind);

	if (!error)
		error = find_program(request, kind, handle, &only, &program);
	return error ? error :
		       patchbay_link_attach(kind, program, &opts, link);
}

/*
 * Writes a path of the descriptor that differs in each call, because the loader reuses a
 * loaded library with the same path, and descriptor numbers are reused. Adds "//" or "/."
 * for each bit of @serial, which the kernel ignores.
 */
static void write_path(char *path, size_t size, int file)
{
	static uint32_t serial;
	size_t at = (size_t)snprintf(path, size, "/proc/thread-self/fd");

	serial++;
	for (int bit = 0; bit < 32; bit++) {
		path[at++] = '/';
		path[at++] = serial >> bit & 1 ? '/' : '.';
	}
	snprintf(path + at, size - at, "/%d", file);
}

/* The loader finds dependencies of the library, except dependencies with $ORIGIN. */
int pb_program_attach_so(struct pb_program_request *request,
			 struct pb_attached_program *program)
{
	char path[128];
	int nr;

	write_path(path, sizeof(path), request->file);
	program->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!program->handle) {
		const char *why = dlerror();

		/* Replace the path in /proc by the client's path, which the user knows. */
		if (!strncmp(why, path, strlen(path)))
			pb_say(request->client, "%s%s", request->path,
			       why + strlen(path));
		else
			pb_say(request->client, "%s", why);
		return -ENOEXEC;
	}
	program->link = NULL;
	nr = attach_symbol(request, program->handle, &program->link);
	/* If detaching fails, the code stays loaded, because calls may still reach it. */
	if (nr < 0 && !pb_program_leave(program))
		pb_program_free(program);
	return nr;
}

int pb_program_leave(struct pb_attached_program *program)
{
	int error;

	if (program->object)
		return pb_program_leave_bpf(program);
	error = program->link ? patchbay_link_detach(program->link) : 0;
	return error == -ENOLINK ? 0 : error;
}

void pb_program_free(struct pb_attached_program *program)
{
	if (program->object) {
		pb_program_free_bpf(program);
		return;
	}
	patchbay_link_destroy(program->link);
	dlclose(program->handle);
}
