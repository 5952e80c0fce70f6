/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names that a compiler has changed. A function's name in the source (in C++: its
 * mangled name) and its symbol differ if the compiler had to distinguish two functions.
 * The compiler then appends one or more of:
 *
 * suffix           meaning
 * ---------------  ---------------------------------------------------------
 * .llvm.N          a static function that other modules of a ThinLTO link call
 *                  (llvm/IR/ModuleSummaryIndex.h, getGlobalNameForLocal())
 * .__uniq.N        a static function, with -funique-internal-linkage-names
 *                  (llvm/ProfileData/SampleProf.h, getUniqueInternalLinkagePostfix());
 *                  the rest of a C function's name is also mangled: _ZL5parsei
 * .MODULE          a static function of a ThinLTO link with CFI: 32 hexadecimal
 *                  digits for its module (llvm/Transforms/Utils/ModuleUtils.h,
 *                  getUniqueModuleId())
 * .cfi             the body of a function, with -fsanitize=cfi: its name belongs to
 *                  the jump table (llvm/Transforms/IPO/LowerTypeTests.h)
 * .cold, .cold.N   rarely executed code, moved out of the function
 *                  (llvm/Transforms/IPO/HotColdSplitting.h)
 * .part.N          the rest of a function that was inlined in part (GCC)
 * .specialized.N   a copy for constant arguments
 *                  (llvm/Transforms/IPO/FunctionSpecialization.h)
 * .constprop.N     the same in GCC; .isra.N: a copy with fewer arguments, or with
 *                  members of them (GCC)
 * .memprof.N       a copy for contexts that allocate differently
 *                  (llvm/Transforms/IPO/MemProfContextDisambiguation.h)
 * .resume, .destroy, .cleanup
 *                  parts of a coroutine (llvm/Transforms/Coroutines/CoroSplit.h)
 * .noalloc         a coroutine whose caller has its frame
 *                  (llvm/Transforms/Coroutines/CoroAnnotationElide.h)
 * .omp_outlined, .omp_outlined_debug__
 *                  the body of an OpenMP region (clang, CGOpenMPRuntime.cpp)
 * .VERSION         a copy for some CPUs (target_clones, target, target_version):
 *                  .avx2, .sse4.2, .arch_haswell, .cpu_power10, ._Msve, ._zbb, .default;
 *                  for target_clones on x86-64 followed by .N
 * .lto_priv.N, .localalias
 *                  a static function in GCC's LTO; an alias of a function (GCC)
 * .N               a static function, if LTO merges modules of which several
 *                  have one of that name (llvm/Linker/IRMover.h)
 *
 * N is a decimal number. LLVM drops suffixes the same way when it looks up a
 * function's profile (getCanonicalFnName() in SampleProf.h). Linux drops
 * .llvm.N in kallsyms (CONFIG_LTO_CLANG).
 *
 * Lists of the pass, filters of libpatchbay, sections of BPF programs and options of
 * the command select functions by names, globs and regular expressions. Patchbay
 * compares each with the symbol's name, and with that name without these suffixes. So
 * "parse" also selects parse.llvm.1527, and "parse.llvm.1527" only itself. "parse" also
 * selects _ZL5parsei.__uniq.7, in C and in C++. If a file has only one function of a
 * name, the command omits the suffixes that only distinguish functions (.llvm.N,
 * .__uniq.N, .MODULE, .cfi, .N, .lto_priv.N, .localalias); 'patchbay list --json' has
 * the symbols. Demangled names are compared with spaces and without
 * (patchbay_close_up()).
 */
#ifndef PATCHBAY_NAMES_H
#define PATCHBAY_NAMES_H

#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the length without @suffix at the end, and a number after it if @numbered. */
static inline size_t patchbay_drop_suffix(const char *name, size_t length,
					  const char *suffix, int numbered)
{
	const size_t size = strlen(suffix);
	size_t at = length;

	while (numbered && at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	/* A name that consists only of a suffix is the programmer's own. */
	if ((numbered && at == length) || at <= size ||
	    memcmp(name + at - size, suffix, size))
		return length;
	return at - size;
}

/*
 * Is @word, a part of @length bytes between dots, the version of a function for some
 * CPUs? If it has several features, checks the first. Async-signal-safe.
 */
static inline int patchbay_is_version(const char *word, size_t length)
{
	static const char *const begins[] = {
		"arch_", "cpu_", "_M", "avx",  "sse",	 "ssse3",  "fma",
		"bmi",	 "xop",	 "mmx", "gfni", "popcnt", "pclmul", "vpclmulqdq",
	};
	static const char *const all[] = { "default", "aes" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (length == strlen(all[i]) && !memcmp(word, all[i], length))
			return 1;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (length >= strlen(begins[i]) &&
		    !memcmp(word, begins[i], strlen(begins[i])))
			return 1;
	/* RISC-V extensions: _zba_zbb. */
	return length > 1 && word[0] == '_' && word[1] >= 'a' && word[1] <= 'z';
}

/* Returns the length without a version at the end. The version of SSE 4 has a dot. */
static inline size_t patchbay_drop_version(const char *name, size_t length)
{
	size_t at = length;

	if (patchbay_drop_suffix(name, length, ".sse4.", 1) != length)
		return patchbay_drop_suffix(name, length, ".sse4.", 1);
	while (at && name[at - 1] != '.')
		at--;
	return at > 1 && patchbay_is_version(name + at, length - at) ? at - 1 :
								       length;
}

/* Returns the length without the module's digits at the end. */
static inline size_t patchbay_drop_module(const char *name, size_t length)
{
	const size_t digits = 32;
	size_t at = length;

	while (at && ((name[at - 1] >= '0' && name[at - 1] <= '9') ||
		      (name[at - 1] >= 'a' && name[at - 1] <= 'f')))
		at--;
	return length - at == digits && at > 1 && name[at - 1] == '.' ? at - 1 :
									length;
}

/*
 * Returns the length of the function's name in the source, which begins @name of
 * @length bytes. Returns @length if the compiler appended none of the above.
 * Cannot fail. Async-signal-safe.
 */
static inline size_t patchbay_source_name_length(const char *name,
						 size_t length)
{
	static const struct {
		const char *text;
		int numbered;
	} suffixes[] = {
		{ ".llvm.", 1 }, { ".__uniq.", 1 }, { ".cfi", 0 },
		{ ".cold", 0 },	 { ".cold.", 1 },   { ".part.", 1 },
		{ ".specialized.", 1 }, { ".constprop.", 1 }, { ".isra.", 1 },
		{ ".memprof.", 1 }, { ".resume", 0 }, { ".destroy", 0 },
		{ ".cleanup", 0 }, { ".noalloc", 0 }, { ".omp_outlined", 0 },
		{ ".omp_outlined_debug__", 0 }, { ".lto_priv.", 1 },
		{ ".localalias", 0 }, { ".", 1 },
	};
	const size_t nr = sizeof(suffixes) / sizeof(suffixes[0]);
	size_t before;

	/* Each suffix begins with a dot, and most names have none. */
	if (!memchr(name, '.', length))
		return length;
	do {
		size_t i;

		before = length;
		length = patchbay_drop_version(name, length);
		/* Drop one suffix at a time. The suffix .N comes last: others end in .N, too. */
		for (i = 0; i < nr && length == before; i++)
			length = patchbay_drop_suffix(name, length,
						      suffixes[i].text,
						      suffixes[i].numbered);
		length = patchbay_drop_module(name, length);
	} while (length != before);
	return length;
}

/*
 * Finds in @name, of @length bytes, the source name of a static C function that
 * -funique-internal-linkage-names has mangled. Stores its length in *@source_length.
 * Returns NULL if there is none. Cannot fail. Async-signal-safe.
 */
static inline const char *patchbay_unique_name(const char *name, size_t length,
					       size_t *source_length)
{
	static const char unique[] = ".__uniq.";
	const size_t source = patchbay_source_name_length(name, length);
	size_t at = 3, size = 0;

	/* The suffix must directly follow the mangled name; otherwise it is not clang's. */
	if (length - source < sizeof(unique) ||
	    memcmp(name + source, unique, sizeof(unique) - 1) || source <= at ||
	    memcmp(name, "_ZL", at))
		return NULL;
	while (at < source && name[at] >= '0' && name[at] <= '9' &&
	       size <= source)
		size = size * 10 + (size_t)(name[at++] - '0');
	if (!size || size > source - at)
		return NULL;
	*source_length = size;
	return name + at;
}

/*
 * Removes from @text, a demangled name or a glob for such names, the spaces before and
 * after , < > ( ) and &, which only some demanglers and people write: "get<int, T<int>
 * >(T const &)" becomes "get<int,T<int>>(T const&)". Returns whether there was such a
 * character; if not, nothing has changed. Async-signal-safe.
 */
static inline int patchbay_close_up(char *text)
{
	static const char close[] = ",<>()&";
	char *to = text;
	int found = 0;

	for (const char *from = text; *from; from++) {
		const int is_close = strchr(close, *from) != NULL;

		found |= is_close;
		/* strchr() also finds NUL: *from is none, but from[1] may be one. */
		if (*from == ' ' &&
		    ((to != text && strchr(close, to[-1])) ||
		     (from[1] && strchr(close, from[1]))))
			continue;
		*to++ = *from;
	}
	*to = '\0';
	return found;
}

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_NAMES_H */
