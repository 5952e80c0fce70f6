/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What happens in a program that `patchbay record` starts: the constructor
 * below arms the functions that PATCHBAY names, in every module that is there
 * and that will come, on a tracer whose counters are in the data file.
 *
 * A forked child counts on in its parent's file, which both have mapped; what it
 * arms itself (in modules that it loads) goes to a file of its own.
 *
 * Nothing is reported from here. The first failure is left in the data file for
 * `patchbay` to tell; a process without a data file could not even make one.
 */
#include "profile.h"

#include "data_file.h"
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct pb_options options;
static struct pb_data_file file;
static int have_file;
static uint32_t nr_modules;

static void note_error(int error)
{
	if (error && have_file && !file.header->error)
		file.header->error = (uint32_t)-error;
}

static void write_cmdline(void)
{
	struct pbd_cmdline *chunk;
	char args[4096];
	ssize_t length;
	int error, fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	length = read(fd, args, sizeof(args));
	close(fd);
	if (length <= 0)
		return;
	chunk = pb_data_reserve(&file, PBD_CMDLINE,
				sizeof(*chunk) + (size_t)length, &error);
	if (!chunk)
		return;
	chunk->length = (uint64_t)length;
	memcpy(chunk->args, args, (size_t)length);
	pb_data_commit(&file, &chunk->chunk);
}

static int write_module(const struct patchbay_module_info *module, uint32_t id)
{
	size_t path = strlen(module->path) + 1;
	struct pbd_module *chunk;
	int error;

	chunk = pb_data_reserve(&file, PBD_MODULE, sizeof(*chunk) + path,
				&error);
	if (!chunk)
		return error;
	chunk->id = id;
	chunk->base = module->base;
	if (module->build_id_size <= PBD_BUILD_ID_MAX) {
		chunk->build_id_size = (uint32_t)module->build_id_size;
		memcpy(chunk->build_id, module->build_id,
		       module->build_id_size);
	}
	memcpy(chunk->path, module->path, path);
	pb_data_commit(&file, &chunk->chunk);
	return 0;
}

static int add_counters(const struct patchbay_module_info *module,
			struct patchbay_target *targets, size_t nr)
{
	struct pbd_counters *chunk;
	uint32_t id = nr_modules;
	int error = write_module(module, id);

	if (error)
		return error;
	nr_modules++;
	chunk = pb_data_reserve(&file, PBD_COUNTERS,
				sizeof(*chunk) + nr * sizeof(chunk->counter[0]),
				&error);
	if (!chunk)
		return error;
	chunk->module = id;
	chunk->nr = (uint32_t)nr;
	for (size_t i = 0; i < nr; i++) {
		chunk->counter[i].entry = targets[i].entry - module->base;
		targets[i].data = &chunk->counter[i].calls;
	}
	pb_data_commit(&file, &chunk->chunk);
	return 0;
}

/*
 * A counter for each function. A module gets a new id each time; the reader
 * tells by path and build id that they are the same.
 */
static int attach(void *data, const struct patchbay_module_info *module,
		  struct patchbay_target *targets, size_t nr)
{
	int error;

	(void)data;
	if (have_file && file.header->pid != (uint32_t)getpid()) {
		pb_data_leave(&file);
		have_file = 0;
	}
	if (!have_file) {
		error = pb_data_open(&file, options.output);
		if (error)
			return error;
		have_file = 1;
		write_cmdline();
	}
	error = add_counters(module, targets, nr);
	note_error(error);
	return error;
}

__attribute__((constructor)) static void start(void)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST,
		.handler = pb_profile_call,
		.attach = attach,
	};
	const char *value = secure_getenv("PATCHBAY");
	struct patchbay_ops *ops;

	if (!value || pb_options_parse(&options, value))
		return;
	if (options.tracer != PB_TRACER_FUNCTION_PROFILE || !options.output ||
	    patchbay_ops_create(&attr, &ops))
		return;
	for (size_t i = 0; i < options.nr_filters; i++) {
		int nr = patchbay_arm(ops, options.filters[i],
				      PATCHBAY_ARM_FUTURE);

		note_error(nr < 0 ? nr : 0);
	}
}
