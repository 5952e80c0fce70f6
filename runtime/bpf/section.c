/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	enum patchbay_link_kind kind;
} kinds[] = {
	{ "fentry", PATCHBAY_FENTRY },
	{ "fexit", PATCHBAY_FEXIT },
	{ "fmod_ret", PATCHBAY_MODIFY_RETURN },
};

/* Returns what follows @start in @text, or NULL if @text does not begin with @start. */
static const char *behind(const char *text, const char *start)
{
	size_t length = strlen(start);

	return strncmp(text, start, length) ? NULL : text + length;
}

int pb_bpf_parse_section(struct patchbay_bpf_program *program)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *rest = behind(program->section, kinds[i].name);
		const char *multi = rest ? behind(rest, ".multi") : NULL;

		if (multi)
			rest = multi;
		if (!rest || *rest != '/' || !rest[1])
			continue;
		program->kind = kinds[i].kind;
		program->multi = multi != NULL;
		program->target = rest + 1;
		return 0;
	}
	return -EINVAL;
}
