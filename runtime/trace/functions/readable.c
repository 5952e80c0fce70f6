/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "readable.h"

#include "demangle.h"
#include "format/name_forms.h"

#include <core/system/memory.h>

#include <string.h>

int pb_readable_match(const char *glob, const char *name)
{
	int result = pb_glob_matches(name, glob), error;
	char *text;

	/*
	 * Demangle only names with "_Z": pb_demangle() would also demangle "i", as the type
	 * int.
	 */
	if (result || strncmp(name, "_Z", 2))
		return result;
	text = pb_demangle(name, &error);
	if (!text)
		return error;
	result = pb_name_is_meant(text, glob);
	pb_free(text);
	return result;
}
