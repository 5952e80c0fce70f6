/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests static calls whose caller, key and target are each in the executable or in a
 * shared object: eight cases. Each case also makes a direct call as a control. The file
 * is compiled twice, with -DUNIT=exe and with -DUNIT=dso; -DMAIN adds main() to the
 * executable.
 *
 * Every target adds a variable of its link unit to its argument, and every caller adds
 * a variable of its own link unit to the result. With a wrong TOC pointer, the result
 * differs, or the call crashes.
 */
#include <patchbay/static_call.h>

#include <stdio.h>

#define CASES(M)                                                               \
	M(exe, exe, exe) M(exe, exe, dso) M(exe, dso, exe) M(exe, dso, dso)    \
	M(dso, exe, exe) M(dso, exe, dso) M(dso, dso, exe) M(dso, dso, dso)

/* IN(unit, code): emits code only in that link unit. */
#define IN(unit, ...) IN_(UNIT, unit, __VA_ARGS__)
#define IN_(this, unit, ...) IN__(this, unit, __VA_ARGS__)
#define IN__(this, unit, ...) IN_##this##_##unit(__VA_ARGS__)
#define IN_exe_exe(...) __VA_ARGS__
#define IN_dso_dso(...) __VA_ARGS__
#define IN_exe_dso(...)
#define IN_dso_exe(...)

#define TARGETS(unit, value)                                                   \
	long first_##unit(long), second_##unit(long), leaf_##unit(long);       \
	long control_##unit(long);                                             \
	IN(unit, volatile long own_##unit = value;                             \
	   __attribute__((noinline)) long first_##unit(long x)                 \
	   { return x + own_##unit; }                                          \
	   __attribute__((noinline)) long second_##unit(long x)                \
	   { return x + 2 * own_##unit; }                                      \
	   /* Needs no TOC pointer. */                                        \
	   __attribute__((noinline)) long leaf_##unit(long x)                  \
	   { return x + 3; }                                                   \
	   long control_##unit(long x)                                         \
	   { return first_##unit(x) + own_##unit; })

#define EXE 1000
#define DSO 100000
TARGETS(exe, EXE)
TARGETS(dso, DSO)

#define CASE(caller, key, target)                                              \
	DECLARE_STATIC_CALL(caller##_##key##_##target, first_##target);        \
	IN(key, DEFINE_EXPORTED_STATIC_CALL(caller##_##key##_##target,         \
					    first_##target);)                  \
	long call_##caller##_##key##_##target(long);                           \
	IN(caller, long call_##caller##_##key##_##target(long x)               \
	{                                                                      \
		/* Two calls, so that neither is a tail call and r2 is used. */   \
		long first = static_call(caller##_##key##_##target)(x);        \
		long own = own_##caller;                                       \
		return static_call(caller##_##key##_##target)(x) == first      \
			       ? first + own : -1;                             \
	})
CASES(CASE)

#ifdef MAIN
static int failed;

static void check(const char *name, const char *state, long result, long wanted)
{
	if (result == wanted)
		return;
	failed++;
	printf("%s, %s: %ld, not %ld\n", name, state, result, wanted);
}

static void check_update(const char *name, const char *state, int error)
{
	if (error)
		printf("%s: update to %s: %d\n", name, state, error);
	failed += error != 0;
}

#define VALUE_exe EXE
#define VALUE_dso DSO
#define UPDATE(name, call, own, target, result)                                \
	check_update(#name, #target, static_call_update(name, target));        \
	check(#name, #target, call(7), (result) + (own));                      \
	if (static_call_query(name) != (target))                               \
		check(#name, "query of " #target, 0, 1);

#define RUN(caller, key, target)                                               \
	check(#caller "_" #key "_" #target, "initial",                         \
	      call_##caller##_##key##_##target(7),                             \
	      7 + VALUE_##target + VALUE_##caller);                            \
	for (int round = 0; round < 3; round++) {                              \
		RUN_(caller##_##key##_##target,                                \
		     call_##caller##_##key##_##target, VALUE_##caller)         \
	}                                                                      \
	cases++;
#define RUN_(name, call, own)                                                  \
	UPDATE(name, call, own, second_exe, 7 + 2 * EXE)                       \
	UPDATE(name, call, own, first_dso, 7 + DSO)                            \
	UPDATE(name, call, own, leaf_exe, 10)                                  \
	UPDATE(name, call, own, second_dso, 7 + 2 * DSO)                       \
	UPDATE(name, call, own, leaf_dso, 10)                                  \
	UPDATE(name, call, own, STATIC_CALL_RET0(name), 0)                     \
	UPDATE(name, call, own, first_exe, 7 + EXE)

int main(void)
{
	int cases = 0;

	check("control", "exe", control_exe(7), 7 + 2 * EXE);
	check("control", "dso", control_dso(7), 7 + 2 * DSO);
	CASES(RUN)
	printf("cases: %d, failed: %d\n", cases, failed);
	return failed != 0;
}
#endif
