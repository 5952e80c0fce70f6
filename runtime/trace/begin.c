/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What happens in a program that `patchbay record` starts, or somebody else with
 * PATCHBAY in its environment: the constructor below starts the tracer (start.h).
 *
 * Where PATCHBAY itself is wrong one line goes to standard error, as ld.so(8) does
 * when LD_PRELOAD is: a user who set it would find nothing at all. It is wrong, too,
 * if it names functions that are in no module.
 */
#include "context.h"
#include "exec.h"
#include "globs.h"
#include "left_out.h"
#include "listen.h"
#include "losses.h"
#include "others.h"
#include "refused.h"
#include "rotate.h"
#include "sandbox.h"
#include "start.h"
#include "thread.h"
#include "tracers.h"

#include <core/private.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/*
 * This library is initialized first (-z initfirst), so glibc has not set environ
 * yet; it gives constructors what it will be. Other C libraries do the opposite.
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
 * In programs with ThreadSanitizer: it stands in for functions of the C library,
 * and initializes itself only before the executable's constructors.
 */
void __tsan_init(void) __attribute__((weak));

/*
 * The sanitizers for real time, types and numbers stand in for them, too, but do not
 * bear to be called or initialized before they initialize themselves, from the
 * executable's .preinit_array. That is run after our constructor, which comes first of
 * all, and before any other.
 */
void __rtsan_init(void) __attribute__((weak));
void __tysan_init(void) __attribute__((weak));
void __nsan_init(void) __attribute__((weak));

/*
 * AddressSanitizer stands in for pthread_create(), which ends the process before it is
 * initialized, from .preinit_array, too.
 */
void __asan_init(void) __attribute__((weak));

/* One line, in one piece, and not through a stream that the program may use. */
static void say(const char *how, const char *what, const char *then)
{
	char line[PB_WHY_MAX + 96];
	int length = snprintf(line, sizeof(line), "patchbay: %s: PATCHBAY: %s%s\n",
			      how, what, then);

	/* It moves no cursor, whatever was given. */
	for (int i = 0; i < length - 1; i++)
		if ((unsigned char)line[i] < ' ')
			line[i] = '?';
	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		return; /* there is nobody else to tell */
}

static void listen_now(void)
{
	pb_note(pb_listen_start(0));
}

static pid_t started; /* the process that began; children end, too */

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
	if (pb_options.old_word) {
		snprintf(why, sizeof(why), "'%s' is now '%s'",
			 pb_options.old_word, pb_options.new_word);
		say("warning", why, "");
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
	if (pb_options.live && (!__asan_init || pb_private_start_late(listen_now)))
		listen_now();
}

/* Sanitizers that start again, by their own system call, have done so by then. */
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
	/* See from_environment(). */
	if (!environ && envp)
		pb_private_preloaded();
	if (!late || pb_private_start_late(start_late))
		start_and_tidy(envp);
}

/*
 * Only now there will be no more modules. Of a function that is not there, nobody
 * finds out by looking at what was recorded.
 */
static void say_what_is_not_there(void)
{
	char text[PB_WHY_MAX];
	size_t nr = pb_globs_unmatched(text, sizeof(text));

	if (nr && !pb_options.checked_later)
		say("warning", text,
		    nr == 1 ? " matches no function" : " match no function");
}

/* Of modules that came after the start: why they, or some of theirs, are not traced. */
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

/* The later the second moment, the better the clock's rate is known. */
__attribute__((destructor)) static void end(void)
{
	pb_sigset signals;

	if (!pb_session || !pb_tracer || !pb_syscalls_begin())
		return;
	/* Of a module without any function to trace it is not known before. */
	pb_note(pb_refused());
	pb_others_write();
	pb_left_out_write();
	if (getpid() == started) {
		say_what_is_not_there();
		say_what_failed(pb_tracer);
		say_what_failed(pb_values_tracer);
		say_what_failed(pb_typed_tracer);
	}
	pb_losses_write_returns();
	pb_signal_lock(&pb_session->lock, &signals);
	if (pb_session->chunk) {
		pb_threads_write_names();
		pb_session_tick();
	}
	pb_signal_unlock(&pb_session->lock, signals);
	pb_rotate_exit();
	pb_syscalls_end();
}
