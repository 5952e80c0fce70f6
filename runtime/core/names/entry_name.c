/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names/entry_name.h"
#include "system/memory.h"

#include <string.h>

static const char digits[] = "0123456789abcdef";

enum { ADDRESS_SIZE = 2 * sizeof(uintptr_t) + 1 };

/* Returns @name after the part that names the module. NULL if it names another module. */
static const char *skip_module(const struct pb_module *module, const char *name)
{
	const struct patchbay_module_info *info = &module->info;

	if (!info->build_id_size) {
		const size_t length = strlen(info->path);

		return strncmp(name, info->path, length) ? NULL : name + length;
	}
	for (size_t i = 0; i < info->build_id_size; i++, name += 2)
		if (name[0] != digits[info->build_id[i] >> 4] ||
		    name[1] != digits[info->build_id[i] & 15])
			return NULL;
	return name;
}

uintptr_t pb_entry_of_name(const struct pb_module *module, const char *name)
{
	const char *digit;
	uintptr_t entry = 0;

	name = pb_is_entry_name(name) ? skip_module(module, name + 1) : NULL;
	if (!name || *name++ != '+' || !*name)
		return 0;
	for (; *name; name++) {
		digit = strchr(digits, *name);
		if (!digit || entry > UINTPTR_MAX >> 4)
			return 0;
		entry = entry << 4 | (uintptr_t)(digit - digits);
	}
	return module->info.base + entry;
}

char *pb_entry_name_new(const struct pb_module *module)
{
	const struct patchbay_module_info *info = &module->info;
	const size_t size = info->build_id_size ? 2 * info->build_id_size :
						  strlen(info->path);
	char *text = pb_malloc(1 + size + 1 + ADDRESS_SIZE), *at = text;

	if (!text)
		return NULL;
	*at++ = '@';
	if (!info->build_id_size)
		at = stpcpy(at, info->path);
	for (size_t i = 0; i < info->build_id_size; i++) {
		*at++ = digits[info->build_id[i] >> 4];
		*at++ = digits[info->build_id[i] & 15];
	}
	*at++ = '+';
	*at = '\0';
	return text;
}

void pb_entry_name_set(char *text, const struct pb_module *module,
		       uintptr_t entry)
{
	const uintptr_t address = entry - module->info.base;
	int shift = 8 * sizeof(address) - 4;

	text = strrchr(text, '+') + 1;
	while (shift && !(address >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*text++ = digits[address >> shift & 15];
	*text = '\0';
}
