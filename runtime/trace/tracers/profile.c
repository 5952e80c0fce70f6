/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counters of the function_profile tracer. A forked child continues to count in its
 * parent's file, which both processes have mapped. Only functions in modules that the child
 * loads later are counted in its own file.
 */
#include "functions/index.h"
#include "functions/modules.h"
#include "functions/names.h"
#include "session/session.h"
#include "tracers.h"

/*
 * Add a counter for each function. Each call gives the module a new id; readers recognize
 * the module by path and build id.
 */
static int add_counters(const struct patchbay_module_info *module,
			struct patchbay_target *targets, size_t nr,
			const struct pb_names *names)
{
	struct pbd_counters *chunk;
	int error = pb_session_file(), id;

	if (error)
		return error;
	id = pb_session_module(module);
	if (id < 0)
		return id;
	chunk = pb_data_reserve(&pb_session->file, PBD_COUNTERS,
				sizeof(*chunk) + nr * sizeof(chunk->counter[0]),
				&error);
	if (!chunk)
		return error;
	chunk->module = (uint32_t)id;
	chunk->nr = (uint32_t)nr;
	for (size_t i = 0; i < nr; i++)
		chunk->counter[i].entry = targets[i].entry - module->base;
	if (!pb_index_new(targets, nr, 0, chunk->counter))
		return -ENOMEM;
	pb_data_commit(&pb_session->file, &chunk->chunk);
	pb_names_write(names, (uint32_t)id);
	return 0;
}

PB_ATTACH(pb_profile_attach)
{
	struct pb_names names;
	int error;

	pb_names_find(module, targets, nr, &names);
	pb_guard(&pb_session->lock);
	error = add_counters(module, targets, nr, &names);
	if (pb_session->file.header)
		pb_data_note(&pb_session->file, error);
	pb_names_free(&names);
	return error;
}
