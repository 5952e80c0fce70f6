/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Marks: names and numbers on the time line of a recording.
 *
 *	#include <patchbay/mark.h>
 *
 *	patchbay_mark("frame");
 *	patchbay_value("queue", length);
 *
 * A mark is a call of an empty function that `patchbay record` traces, unless -N excludes
 * it, and whose arguments it records. Marks need neither a library nor debug information.
 * While nothing records, a mark is a call of a disarmed function. Without the compiler
 * plugin, a mark is a call of an empty function.
 *
 * @name is a string of up to 64 bytes; the rest is cut off. The string is read during the
 * call, so it may change afterwards. If it cannot be read, the recording says so. There are
 * no errors, and errno does not change.
 *
 * May be called by any thread and in a signal handler, at any time.
 *
 * The tracers duration, graph and entry of `patchbay record` record marks, but not with
 * --depth, --sample, --no-sleep-time and --rotate-*. --threshold does not drop marks.
 * `patchbay replay`, the page of `patchbay report --html`, `patchbay dump
 * --chrome` and `--perfetto` show a mark as an instant, and values of the same name as a
 * counter. Other outputs show the calls.
 */
#ifndef PATCHBAY_MARK_H
#define PATCHBAY_MARK_H

#include <stdint.h>

/*
 * Each linked file has its own functions. The empty assembly uses the arguments and the
 * function's address, so that link-time optimization neither removes nor changes them.
 */
#ifdef __cplusplus
extern "C" {
#define PATCHBAY_MARK inline __attribute__((weak, noinline, visibility("hidden")))
#else
#define PATCHBAY_MARK __attribute__((weak, noinline, visibility("hidden")))
#endif

PATCHBAY_MARK void patchbay_mark(const char *name);
PATCHBAY_MARK void patchbay_value(const char *name, int64_t value);

PATCHBAY_MARK void patchbay_mark(const char *name)
{
	__asm__ volatile("" : : "r"(name), "r"(patchbay_mark) : "memory");
}

PATCHBAY_MARK void patchbay_value(const char *name, int64_t value)
{
	__asm__ volatile("" : : "r"(name), "r"(value), "r"(patchbay_value) : "memory");
}

#undef PATCHBAY_MARK

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_MARK_H */
