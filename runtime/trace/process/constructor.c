/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Starts the tracer (start.h) if `patchbay record` or the user has set PATCHBAY in the
 * environment.
 *
 * If PATCHBAY is invalid, or if a name in PATCHBAY matches no function, prints one line on
 * standard error, as ld.so(8) does for LD_PRELOAD, so that a missing recording has a
 * reason.
 */
#include "exec.h"
#include "session/recording.h"
#include "session/requested_names.h"
#include "session/syscalls.h"
#include "start/live_part.h"
#include "start/start.h"
#include "tracers/context.h"
#include "tracers/tracers.h"

#include <core/system/private.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/*
 * Returns the value of PATCHBAY, or NULL. The loader initializes this library first (-z
 * initfirst), before glibc sets environ, but glibc passes the environment to constructors.
 * Other C libraries set environ and pass no arguments.
 */
static const char *from_environment(char **envp)
{
	static const char name[] = "PATCHBAY=";

	if (environ)
		envp = environ;
	if (getauxval(AT_SECURE) || !envp)
		return NULL;
	for (; *envp; envp++)
		if (!strncmp(*envp, name, sizeof(name) - 1))
			return *envp + sizeof(name) - 1;
	return NULL;
}

/*
 * Defined in programs with ThreadSanitizer, which intercepts functions of the C library,
 * but initializes itself only after this library's constructor.
 */
void __tsan_init(void) __attribute__((weak));

/*
 * RealtimeSanitizer, TypeSanitizer and NumericalStabilitySanitizer also intercept functions
 * of the C library. The executable's .preinit_array initializes these sanitizers; before
 * that, intercepted functions must not be called. The loader runs .preinit_array after this
 * library's constructor and before all other constructors.
 */
void __rtsan_init(void) __attribute__((weak));
void __tysan_init(void) __attribute__((weak));
void __nsan_init(void) __attribute__((weak));

/*
 * AddressSanitizer's pthread_create() ends the process if .preinit_array has not
 * initialized AddressSanitizer yet.
 */
void __asan_init(void) __attribute__((weak));

/* Print one line by one system call, without the program's stdio streams. */
static void say(const char *how, const char *what, const char *then)
{
	char line[PB_WHY_MAX + 96];
	int length = snprintf(line, sizeof(line), "patchbay: %s: PATCHBAY: %s%s\n",
			      how, what, then);

	/* Replace control characters, so that the line cannot move the cursor. */
	for (int i = 0; i < length - 1; i++)
		if ((unsigned char)line[i] < ' ')
			line[i] = '?';
	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		return; /* errors of standard error cannot be reported */
}

static void listen_now(void)
{
	pb_note(pb_listen_start(0));
}

static const char no_thread[] = 
	": 'patchbay live', max-rate and max-overhead have no effect here";

static pid_t started; /* the process that ran start(); differs in forked children */

static void start(char **envp)
{
	const char *value = from_environment(envp);
	char why[PB_WHY_MAX];
	int error;

	if (!value)
		return;
	if (__tsan_init)
		__tsan_init();
	if (pb_start_read(value, why)) {
		say("error", why, "; nothing is traced");
		return;
	}
	if (pb_context_start(1, why)) {
		say("error", why, "; nothing is traced");
		return;
	}
	error = pb_start_begin();
	if (error) {
		snprintf(why, sizeof(why), "output='%s': %s", pb_options.output,
			 strerror(-error));
		say("error", why, "; nothing is traced");
		return;
	}
	started = getpid();
	pb_start_arm();
	/* `patchbay record` refuses to start such a program, but a traced process may start it. */
	if (pb_options.live && __tsan_init) {
		say("warning", "ThreadSanitizer permits no listening thread", no_thread);
		pb_options.live = 0;
	}
	if (pb_options.live && (!__asan_init || pb_private_start_late(listen_now)))
		listen_now();
}

/* Call this after the initialization of sanitizers, which may execute the program again. */
static void start_and_tidy(char **envp)
{
	start(envp);
	pb_exec_tidy(environ ? environ : envp);
}

static void start_late(void)
{
	start_and_tidy(NULL);
}

__attribute__((constructor)) static void construct(int argc, char **argv,
						   char **envp)
{
	const int late = __rtsan_init || __tysan_init || __nsan_init;

	(void)argc;
	(void)argv;
	/* environ is not set yet: the library was preloaded. See from_environment(). */
	if (!environ && envp)
		pb_private_preloaded();
	if (!late || pb_private_start_late(start_late))
		start_and_tidy(envp);
}

/*
 * Warn about names that match no function. Called at the end, because modules may be loaded
 * at any time before.
 */
static void say_what_is_not_there(void)
{
	char text[PB_WHY_MAX];
	size_t nr = pb_asked_unmatched(text, sizeof(text));

	if (nr && !pb_options.checked_later)
		say("warning", text,
		    nr == 1 ? " matches no function" : " match no function");
}

/* Report errors of arming functions in modules that were loaded after the start. */
static void say_what_failed(struct patchbay_ops *ops)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };
	char why[PB_WHY_MAX];

	if (!ops || patchbay_ops_get_info(ops, &info) || info.future_error >= 0)
		return;
	pb_note(info.future_error);
	if (pb_session->file.header)
		return;
	snprintf(why, sizeof(why), "output='%s': %s", pb_options.output,
		 strerror(-info.future_error));
	say("error", why, "; nothing was traced");
}

__attribute__((destructor)) static void end(void)
{
	if (!pb_session || !pb_tracer || !pb_syscalls_begin())
		return;
	pb_write_end();
	if (getpid() == started) {
		say_what_is_not_there();
		for (enum pb_tracer_of of = 0; of < PB_NR_TRACERS; of++)
			say_what_failed(*pb_tracers[of]);
	}
	pb_syscalls_end();
}
