/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names that a compiler has changed. What a function is called in the source
 * (of C++: its mangled name) and what its symbol is called differ where the
 * compiler had to tell two functions apart. It then appends one or more of:
 *
 * suffix           what it is
 * ---------------  ---------------------------------------------------------
 * .llvm.N          a static function that other modules of a ThinLTO link call
 *                  (llvm/IR/ModuleSummaryIndex.h, getGlobalNameForLocal())
 * .__uniq.N        a static function, with -funique-internal-linkage-names
 *                  (llvm/ProfileData/SampleProf.h, getUniqueInternalLinkagePostfix());
 *                  of C functions, too, the rest is mangled as in C++: _ZL5parsei
 * .MODULE          a static function of a ThinLTO link with CFI: 32 hexadecimal
 *                  digits for its module (llvm/Transforms/Utils/ModuleUtils.h,
 *                  getUniqueModuleId())
 * .cfi             the body of a function, with -fsanitize=cfi: its name went to
 *                  the jump table (llvm/Transforms/IPO/LowerTypeTests.h)
 * .cold, .cold.N   what is hardly ever executed, moved out of the function
 *                  (llvm/Transforms/IPO/HotColdSplitting.h)
 * .part.N          what is left of a function that was inlined in part (GCC)
 * .specialized.N   a copy for constant arguments
 *                  (llvm/Transforms/IPO/FunctionSpecialization.h)
 * .constprop.N     the same of GCC; .isra.N: a copy with fewer arguments, or with
 *                  members of them (GCC)
 * .memprof.N       a copy for contexts that allocate differently
 *                  (llvm/Transforms/IPO/MemProfContextDisambiguation.h)
 * .resume, .destroy, .cleanup
 *                  parts of a coroutine (llvm/Transforms/Coroutines/CoroSplit.h)
 * .noalloc         a coroutine whose caller has its frame
 *                  (llvm/Transforms/Coroutines/CoroAnnotationElide.h)
 * .omp_outlined, .omp_outlined_debug__
 *                  the body of an OpenMP region (clang, CGOpenMPRuntime.cpp)
 * .VERSION         a copy for some processors (target_clones, target, target_version):
 *                  .avx2, .sse4.2, .arch_haswell, .cpu_power10, ._Msve, ._zbb, .default;
 *                  of target_clones on x86-64 with .N behind it
 * .lto_priv.N, .localalias
 *                  a static function in GCC's LTO; an alias of a function (GCC)
 * .N               a static function, where LTO makes one module of several that
 *                  have one of that name (llvm/Linker/IRMover.h)
 *
 * N is a decimal number. LLVM drops suffixes in the same way where it looks up a
 * function's profile (getCanonicalFnName() in SampleProf.h), and Linux drops
 * .llvm.N in kallsyms (CONFIG_LTO_CLANG).
 *
 * Wherever Patchbay takes names, globs or regular expressions of functions (lists
 * of the pass, filters of libpatchbay, sections of BPF programs, options of the
 * command) each is tried with the symbol's name and with what is left without
 * these: "parse" selects parse.llvm.1527, too, and "parse.llvm.1527" only that. So
 * it does _ZL5parsei.__uniq.7, of C and of C++. The command shows names without
 * what tells functions of one name apart (.llvm.N, .__uniq.N, .MODULE, .cfi, .N,
 * .lto_priv.N, .localalias)
 * where a file has one of that name only; the symbols are in 'patchbay list --json'.
 * Demangled names are tried with spaces and without (patchbay_close_up()).
 */
#ifndef PATCHBAY_NAMES_H
#define PATCHBAY_NAMES_H

#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Without @suffix at its end, and a number behind that if @numbered. */
static inline size_t patchbay_drop_suffix(const char *name, size_t length,
					  const char *suffix, int numbered)
{
	const size_t size = strlen(suffix);
	size_t at = length;

	while (numbered && at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	/* A name that is nothing but a suffix is somebody's own choice. */
	if ((numbered && at == length) || at <= size ||
	    memcmp(name + at - size, suffix, size))
		return length;
	return at - size;
}

/*
 * Is @word, which is @length long and was between dots, the version of a function for
 * some processors? Of several features the first tells. Async-signal-safe.
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
	/* Of RISC-V, extensions: _zba_zbb. */
	return length > 1 && word[0] == '_' && word[1] >= 'a' && word[1] <= 'z';
}

/* Without a version at its end; that of SSE 4 has a dot. */
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

/* Without the module's digits at its end. */
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
 * How long the function's name in the source is, at the beginning of @name, which
 * is @length long: @length itself if the compiler appended none of the above.
 * It cannot fail, and is async-signal-safe.
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

	do {
		size_t i;

		before = length;
		length = patchbay_drop_version(name, length);
		/* One at a time: .N alone comes last, behind all that end in .N */
		for (i = 0; i < nr && length == before; i++)
			length = patchbay_drop_suffix(name, length,
						      suffixes[i].text,
						      suffixes[i].numbered);
		length = patchbay_drop_module(name, length);
	} while (length != before);
	return length;
}

/*
 * Where in @name, which is @length long, that of a static function in C is which
 * -funique-internal-linkage-names has mangled, and in *@source_length how long it
 * is; NULL if there is none. It cannot fail, and is async-signal-safe.
 */
static inline const char *patchbay_unique_name(const char *name, size_t length,
					       size_t *source_length)
{
	static const char unique[] = ".__uniq.";
	const size_t source = patchbay_source_name_length(name, length);
	size_t at = 3, size = 0;

	/* What follows the mangled name begins with it: N of others is no hash. */
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
 * Take from @text, a demangled name or a glob for such names, the spaces before and
 * behind , < > ( ) and &, which some demanglers and people write and others do not:
 * "get<int, T<int> >(T const &)" becomes "get<int,T<int>>(T const&)". Returns whether
 * there was such a character: if not, nothing was changed. Async-signal-safe.
 */
static inline int patchbay_close_up(char *text)
{
	static const char close[] = ",<>()&";
	char *to = text;
	int found = 0;

	for (const char *from = text; *from; from++) {
		const int is_close = strchr(close, *from) != NULL;

		found |= is_close;
		/* *from is no NUL, which strchr() would find; from[1] may be one. */
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
