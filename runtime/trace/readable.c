/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "readable.h"
#include "name_forms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of the C++ ABI: in libstdc++ and libc++abi, if the program has one of them. */
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status)
	__attribute__((weak));

int pb_readable_match(const char *glob, const char *name)
{
	int result = pb_glob_matches(name, glob), status;
	char *text;

	/* It would read "i" as the type int. */
	if (result || strncmp(name, "_Z", 2) || !__cxa_demangle)
		return result;
	text = __cxa_demangle(name, NULL, NULL, &status);
	if (!text)
		return status == -1 ? -ENOMEM : 0;
	result = pb_name_is_meant(text, glob);
	free(text);
	return result;
}
