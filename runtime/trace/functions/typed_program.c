/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compiles the strings of typed= to programs that handlers run. Handlers must
 * not call this code.
 */
#include "session/session.h"
#include "typed_program.h"

#include <core/system/memory.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The fields of FILE|ENTRY|SYMBOL|TEXT, each ended by NUL. @text is TEXT. */
static struct typed_function {
	const char *file; /* build id in hexadecimal, or a path */
	uint64_t entry;
	const char *text;
	struct pb_typed_program *program;
} *functions;
static const char **symbols;
static size_t nr_functions;

static int parse_unsigned(const char **at, uint64_t max, uint64_t *value)
{
	char *end;

	if (**at < '0' || **at > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(*at, &end, 10);
	*at = end;
	return errno || *value > max ? -EINVAL : 0;
}

/*
 * Parse the kind and its size in bytes. Skips the names of enumerators, which
 * only readers need.
 */
static int parse_kind(const char **at, struct pb_typed_value *to)
{
	static const char letters[] = "iubcxdfeEstSLv";
	uint64_t size = 0;

	to->kind = **at;
	if (!to->kind || !strchr(letters, to->kind))
		return -EINVAL;
	++*at;
	to->is_signed = strchr("ice", to->kind) != NULL;
	if (strchr("iueEt", to->kind) &&
	    parse_unsigned(at, to->kind == 't' ? PB_TYPED_TEXT : 8, &size))
		return -EINVAL;
	to->size = strchr("bc", to->kind) ? 1 : to->kind == 'f' ? 4 :
		   size				       ? (uint8_t)size :
							 8;
	if (to->kind != 't' && to->size & (to->size - 1))
		return -EINVAL;
	if (**at == '{') {
		*at = strchr(*at, '}');
		if (!*at)
			return -EINVAL;
		++*at;
	}
	return *(*at)++ == ':' ? 0 : -EINVAL;
}

static int parse_source(const char **at, struct pb_typed_place *to)
{
	static const char letters[] = "rfwvd";
	const char *letter = strchr(letters, **at);
	uint64_t number;

	if (!**at || !letter)
		return -EINVAL;
	++*at;
	to->source = (uint8_t)(letter - letters);
	if (parse_unsigned(at, 254, &number))
		return -EINVAL;
	to->index = (uint8_t)number;
	while (**at == '@') {
		++*at;
		if (to->nr_steps == PB_TYPED_STEPS ||
		    parse_unsigned(at, UINT32_MAX, &number))
			return -EINVAL;
		to->step[to->nr_steps++] = (uint32_t)number;
	}
	return 0;
}

static int parse_condition(const char **at, struct pb_typed_value *to)
{
	static const struct {
		const char *text;
		enum pb_typed_compare compare;
	} all[] = {
		{ "==", PB_COMPARE_EQ }, { "!=", PB_COMPARE_NE },
		{ "<=", PB_COMPARE_LE }, { ">=", PB_COMPARE_GE },
		{ "<", PB_COMPARE_LT },	 { ">", PB_COMPARE_GT },
	};
	char *end;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const size_t length = strlen(all[i].text);

		if (strncmp(*at, all[i].text, length))
			continue;
		to->compare = all[i].compare;
		*at += length;
		break;
	}
	if (!to->compare)
		return -EINVAL;
	if (strchr("stSLv", to->kind)) {
		const size_t length = strcspn(*at, ";");

		if (length > PB_TYPED_TEXT || to->compare > PB_COMPARE_NE)
			return -EINVAL;
		memcpy(to->text, *at, length);
		to->length = (uint8_t)length;
		*at += length;
		return 0;
	}
	/* The command passes the bits of floating-point numbers as integers. */
	errno = 0;
	to->number = **at == '-' ? (int64_t)strtoll(*at, &end, 10) :
				   (int64_t)strtoull(*at, &end, 10);
	if (end == *at || errno)
		return -EINVAL;
	*at = end;
	return 0;
}

static int parse_text(const char *at, struct pb_typed_program *program)
{
	uint8_t number = 0;

	for (;;) {
		struct pb_typed_value *to = &program->value[program->nr];
		const int is_condition = *at == '?';
		int error;

		if (program->nr++ == PB_TYPED_VALUES)
			return -EINVAL;
		if (is_condition)
			at++;
		else
			at = strchr(at, '=') ? strchr(at, '=') + 1 : "";
		error = parse_kind(&at, to);
		if (!error)
			error = parse_source(&at, &to->at);
		if (!error && to->kind == 'v')
			error = *at++ == '#' ? parse_source(&at, &to->length_at) :
					       -EINVAL;
		if (!error && is_condition)
			error = parse_condition(&at, to);
		if (error)
			return error;
		if (!is_condition)
			to->value = number++;
		if (!*at)
			return 0;
		if (*at++ != ';')
			return -EINVAL;
	}
}

/* Split a string of pb_options.typed into its fields, and compile TEXT. */
static int parse(char *text, struct typed_function *function,
		 const char **symbol)
{
	char *bar[3], *at = text, *end;
	int error;

	for (int i = 0; i < 3; i++) {
		bar[i] = strchr(at, '|');
		if (!bar[i])
			return -EINVAL;
		*bar[i] = '\0';
		at = bar[i] + 1;
	}
	function->file = text;
	function->entry = strtoull(bar[0] + 1, &end, 16);
	if (*end || end == bar[0] + 1)
		return -EINVAL;
	*symbol = bar[1] + 1;
	function->text = bar[2] + 1;
	function->program = pb_calloc(1, sizeof(*function->program) +
					      (PB_TYPED_VALUES + 1) *
						      sizeof(struct pb_typed_value));
	if (!function->program)
		return -ENOMEM;
	function->program->is_mark = *function->text == '!';
	error = *function->text ? parse_text(function->text, function->program) :
				  0;
	return error;
}

int pb_typed_init(void)
{
	const size_t nr = pb_options.nr_typed;
	int error = 0;

	pb_typed_forget();
	if (!nr)
		return 0;
	functions = pb_calloc(nr, sizeof(*functions));
	symbols = pb_calloc(nr, sizeof(*symbols));
	if (!functions || !symbols)
		return -ENOMEM;
	for (nr_functions = 0; nr_functions < nr && !error; nr_functions++)
		error = parse((char *)pb_options.typed[nr_functions],
			      &functions[nr_functions], &symbols[nr_functions]);
	return error;
}

void pb_typed_forget(void)
{
	for (size_t i = 0; i < nr_functions; i++)
		pb_free(functions[i].program);
	pb_free(functions);
	pb_free(symbols);
	functions = NULL;
	symbols = NULL;
	nr_functions = 0;
}

const char *const *pb_typed_symbols(size_t *nr)
{
	*nr = nr_functions;
	return symbols;
}

static int is_file(const char *file, const struct patchbay_module_info *module)
{
	static const char digits[] = "0123456789abcdef";

	if (!module->build_id_size)
		return !strcmp(file, module->path);
	for (size_t i = 0; i < module->build_id_size; i++, file += 2)
		if (file[0] != digits[module->build_id[i] >> 4] ||
		    file[1] != digits[module->build_id[i] & 15])
			return 0;
	return !*file;
}

const char *pb_typed_find(const struct patchbay_module_info *module,
			  uint64_t entry, const struct pb_typed_program **program)
{
	for (size_t i = 0; i < nr_functions; i++)
		if (functions[i].entry == entry &&
		    is_file(functions[i].file, module)) {
			*program = functions[i].program;
			return functions[i].text;
		}
	return NULL;
}
