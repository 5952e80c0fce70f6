/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * On its own because it is compiled without -fsanitize=kcfi: neither the engine
 * nor the code that it makes has hashes.
 */
#include "engine.h"

uint64_t pb_bpf_machine_run(const struct pb_bpf_machine *machine,
			    void *context)
{
	return machine->function ? machine->function(context) :
				   machine->interpret(machine->vm, context);
}
