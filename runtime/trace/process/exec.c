/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exec.h"

#include "exec_target.h"
#include "exit.h"
#include "format/chunk.h"
#include "options/options.h"
#include "session/syscalls.h"
#include "system/probe.h"
#include "system/wrap.h"

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*execveat)(int, const char *, char *const[], char *const[], int);
	int (*posix_spawn)(pid_t *, const char *,
			   const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[],
			   char *const[]);
	int (*posix_spawnp)(pid_t *, const char *,
			    const posix_spawn_file_actions_t *,
			    const posix_spawnattr_t *, char *const[],
			    char *const[]);
} real;

__attribute__((constructor)) static void find(void)
{
	PB_FIND(execve);
	PB_FIND(execvpe);
	PB_FIND(fexecve);
	PB_FIND(execveat);
	PB_FIND(posix_spawn);
	PB_FIND(posix_spawnp);
}

/*===-- LD_PRELOAD -------------------------------------------------------===*/

static const char variable[] = "LD_PRELOAD=";
static const char records[] = "libpatchbay-trace.so";
static const char listens[] = "libpatchbay-live.so";

/* Returns the end of a name in LD_PRELOAD: a colon, a space or NUL (ld.so(8)). */
static const char *end_of(const char *name)
{
	return name + strcspn(name, ": ");
}

#define EACH_NAME(name, end, list)                                             \
	for (const char *name = (list), *end;                                  \
	     name && ((end) = end_of(name));                                   \
	     name = *(end) ? (end) + 1 : NULL)

static int is_file(const char *name, const char *end, const char *file)
{
	const size_t length = strlen(file);

	return (size_t)(end - name) >= length &&
	       !memcmp(end - length, file, length) &&
	       ((size_t)(end - name) == length || end[-(long)length - 1] == '/');
}

static int is_this_library(const char *name, const char *end)
{
	return is_file(name, end, records) || is_file(name, end, listens);
}

/* Does @string set LD_PRELOAD? Returns 0 if @string is unreadable. */
static int has_prefix(struct pb_probe *probe, const char *string)
{
	for (size_t i = 0; i < sizeof(variable) - 1; i++)
		if (!pb_is_readable(probe, string + i, 1) ||
		    string[i] != variable[i])
			return 0;
	return 1;
}

/*
 * Returns the value of LD_PRELOAD if it names this library, else NULL. Sets *@nr to the
 * number of variables. Returns NULL for an invalid address, for which the kernel will
 * return EFAULT.
 */
static const char *find_preload(char *const envp[], size_t *nr, struct pb_probe array)
{
	struct pb_probe strings = array;
	const char *found = NULL;

	*nr = 0;
	for (; envp; ++*nr) {
		if (!pb_is_readable(&array, &envp[*nr], sizeof(*envp)))
			return NULL;
		if (!envp[*nr])
			break;
		if (!found && has_prefix(&strings, envp[*nr]))
			found = envp[*nr] + sizeof(variable) - 1;
	}
	if (!found || !pb_is_string(&strings, found))
		return NULL;
	EACH_NAME(name, end, found) {
		if (is_this_library(name, end))
			return found;
	}
	return NULL;
}

/* Returns the first sanitizer after this library, which the user has added, or NULL. */
static const char *find_users_first(const char *old)
{
	int is_before = 1;

	EACH_NAME(name, end, old) {
		if (!is_before && pb_exec_is_first(name, end))
			return name;
		is_before &= !is_this_library(name, end);
	}
	return NULL;
}

/*
 * Write the variable that replaces @old to @to, or "" if no library is left. Drops
 * sanitizers before this library, which `patchbay record` or this function has put there.
 */
static void make_preload(const char *old, const struct pb_exec_target *target,
			 char *to)
{
	const char *users = target->is_foreign ? NULL : find_users_first(old);
	int is_before = 1;
	char *start;

	to = stpcpy(to, variable);
	start = to;
	if (target->first[0])
		to = stpcpy(to, target->first);
	else if (users)
		to = mempcpy(to, users, (size_t)(end_of(users) - users));
	EACH_NAME(name, end, old) {
		const int is_ours = is_this_library(name, end);

		if (!(is_ours && target->is_foreign) &&
		    !(is_before && pb_exec_is_first(name, end))) {
			if (to != start)
				*to++ = ':';
			to = mempcpy(to, name, (size_t)(end - name));
		}
		is_before &= !is_ours;
	}
	*to = '\0';
	if (to == start)
		start[-(long)sizeof(variable) + 1] = '\0';
}

void pb_exec_tidy(char *const envp[])
{
	static const struct pb_exec_target none;
	size_t nr, length;
	/* Before main() all strings are valid, because the loader has read them. */
	const struct pb_probe probe = { .is_all_readable = 1 };
	char *preload = (char *)find_preload(envp, &nr, probe);

	if (!preload)
		return;
	length = strlen(preload);
	{
		char made[sizeof(variable) + 2 * length + 2];
		const char *value = made + sizeof(variable) - 1;

		make_preload(preload, &none, made);
		if (strlen(value) <= length)
			strcpy(preload, value);
	}
}

static int names_sanitizer(const char *preload)
{
	EACH_NAME(name, end, preload) {
		if (pb_exec_is_first(name, end))
			return 1;
	}
	return 0;
}

/* In a sandbox the program's file is unreadable. */
static int may_look(void)
{
	return !__atomic_load_n(&pb_sandboxed, __ATOMIC_SEQ_CST);
}

/*
 * Tell `patchbay record` that the program at @path runs untraced: append a note to its file
 * (runtime/tool/recording/OutputDir.h). Without that file, and if it is large, do nothing.
 */
static void note_untraced(const char *path)
{
	static const char start[] = "\0" PBD_NOTE_UNTRACED;
	const struct iovec parts[] = {
		{ (void *)start, sizeof(start) - 1 },
		{ (void *)path, pb_length(path) },
	};
	const long folder = pb_sys(SYS_openat, AT_FDCWD, pb_options.output,
				   O_PATH | O_DIRECTORY | O_CLOEXEC);
	long file;

	if (folder < 0)
		return;
	file = pb_sys(SYS_openat, folder, PBD_COMMAND_FILE,
		      O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	pb_sys(SYS_close, folder);
	if (file < 0)
		return;
	if (pb_sys(SYS_lseek, file, 0L, SEEK_END) < 65536)
		pb_sys(SYS_writev, file, parts, 2);
	pb_sys(SYS_close, file);
}

/*
 * Reads the program's file. Returns the size of memory that change_environment() needs, or
 * 0 if the environment stays unchanged, as for most programs. The size is exact, because
 * the caller may have a small stack.
 */
static size_t room_for(int folder, const char *path, int flags, char *const envp[],
		       struct pb_exec_target *target)
{
	size_t nr;
	const char *preload;

	if (!path || !may_look())
		return 0;
	preload = find_preload(envp, &nr, (struct pb_probe){ 0 });
	pb_exec_look(folder, path, flags, target);
	if (target->has_functions && pb_options.output &&
	    (!preload || target->is_static || target->is_foreign))
		note_untraced(*path ? path : "fexecve()");
	if (!preload)
		return 0;
	if (!target->is_foreign && !target->first[0] && !names_sanitizer(preload))
		return 0;
	return (nr + 1) * sizeof(*envp) + sizeof(variable) + 2 * strlen(preload) +
	       sizeof(target->first) + 1;
}

/*
 * Returns the changed environment, in @room, or @envp if @room is NULL. @room has the size
 * that room_for() has returned.
 */
static char *const *change_environment(const struct pb_exec_target *target,
				       char *const envp[], void *room)
{
	const char *preload;
	char **changed = room, *text;
	size_t nr, to = 0;

	if (!room)
		return envp;
	preload = find_preload(envp, &nr, (struct pb_probe){ 0 });
	text = (char *)(changed + nr + 1);
	make_preload(preload, target, text);
	for (size_t i = 0; i < nr; i++) {
		const int is_it = envp[i] + sizeof(variable) - 1 == preload;

		if (!is_it)
			changed[to++] = envp[i];
		else if (*text)
			changed[to++] = text;
	}
	changed[to] = NULL;
	return changed;
}

/* Returns the size of memory that find_file() needs, or 0 if it must not be called. */
static size_t room_for_path(const char *file)
{
	const char *folders = getenv("PATH");
	size_t size;

	if (!may_look() || !pb_is_string(&(struct pb_probe){ 0 }, file))
		return 0;
	size = (folders ? strlen(folders) : 0) + strlen(file) + 16;
	return size < PATH_MAX ? size : PATH_MAX;
}

/* Returns the path of the file that execvp(3) executes, or NULL. */
static const char *find_file(const char *file, char path[])
{
	const char *folder = getenv("PATH");
	const size_t length = strlen(file);

	if (strchr(file, '/'))
		return file;
	for (folder = folder ? folder : "/bin:/usr/bin"; folder;) {
		const char *end = strchrnul(folder, ':');
		const size_t size = (size_t)(end - folder);
		char *to = path;

		if (size + length + 2 <= PATH_MAX) {
			to = mempcpy(to, folder, size);
			if (size)
				*to++ = '/';
			memcpy(to, file, length + 1);
			if (!pb_sys(SYS_faccessat, AT_FDCWD, path, X_OK))
				return path;
		}
		folder = *end ? end + 1 : NULL;
	}
	return NULL;
}

/*
 * Changes @envp. Uses memory on the caller's stack, because the caller may be a child of
 * vfork(2).
 */
#define CHANGE(envp, folder, path, flags)                                      \
	struct pb_exec_target target;                                          \
	const size_t room_size = room_for(folder, path, flags, envp, &target); \
	char *room[room_size / sizeof(char *) + 1];                            \
	envp = change_environment(&target, envp, room_size ? room : NULL)

/* Writes final data, then evaluates @call, which returns only on failure. */
#define EXECUTE(call)                                                          \
	({                                                                     \
		const int is_written = pb_ending_write();                      \
		const __typeof__(call) result = (call);                        \
									       \
		if (is_written)                                                \
			pb_ending_take_back();                                 \
		result;                                                        \
	})

/*===-- In place of the C library's --------------------------------------===*/

PB_PUBLIC int execve(const char *path, char *const argv[], char *const envp[])
{
	CHANGE(envp, AT_FDCWD, path, 0);

	return EXECUTE(PB_REAL(execve)(path, argv, envp));
}

PB_PUBLIC int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

PB_PUBLIC int execvpe(const char *file, char *const argv[], char *const envp[])
{
	const size_t size = room_for_path(file);
	char path[size + 1];
	CHANGE(envp, AT_FDCWD, size ? find_file(file, path) : NULL, 0);

	return EXECUTE(PB_REAL(execvpe)(file, argv, envp));
}

PB_PUBLIC int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

PB_PUBLIC int fexecve(int fd, char *const argv[], char *const envp[])
{
	CHANGE(envp, fd, "", AT_EMPTY_PATH);

	return EXECUTE(PB_REAL(fexecve)(fd, argv, envp));
}

PB_PUBLIC int execveat(int folder, const char *path, char *const argv[],
		       char *const envp[], int flags)
{
	CHANGE(envp, folder, path, flags);

	return EXECUTE(PB_REAL(execveat)(folder, path, argv, envp, flags));
}

PB_PUBLIC int posix_spawn(pid_t *pid, const char *path,
			  const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attr, char *const argv[],
			  char *const envp[])
{
	CHANGE(envp, AT_FDCWD, path, 0);

	return PB_REAL(posix_spawn)(pid, path, actions, attr, argv, envp);
}

PB_PUBLIC int posix_spawnp(pid_t *pid, const char *file,
			   const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attr, char *const argv[],
			   char *const envp[])
{
	const size_t size = room_for_path(file);
	char path[size + 1];
	CHANGE(envp, AT_FDCWD, size ? find_file(file, path) : NULL, 0);

	return PB_REAL(posix_spawnp)(pid, file, actions, attr, argv, envp);
}

/* Returns the number of arguments, including the final NULL. */
static size_t count_arguments(va_list args)
{
	size_t nr = 1;

	while (va_arg(args, const char *))
		nr++;
	return nr;
}

static void take_arguments(const char *first, va_list args, size_t nr,
			   const char **argv)
{
	argv[0] = first;
	for (size_t i = 1; i <= nr; i++)
		argv[i] = va_arg(args, const char *);
}

/* Define an array @argv of @first and the following arguments. */
#define ARGUMENTS(first)                                                       \
	va_list args;                                                          \
	size_t nr;                                                             \
	va_start(args, first);                                                 \
	nr = first ? count_arguments(args) : 0;                                \
	va_end(args);                                                          \
	const char *argv[nr + 1];                                              \
	va_start(args, first);                                                 \
	take_arguments(first, args, nr, argv)

PB_PUBLIC int execl(const char *path, const char *first, ...)
{
	ARGUMENTS(first);
	va_end(args);
	return execve(path, (char *const *)argv, environ);
}

PB_PUBLIC int execlp(const char *file, const char *first, ...)
{
	ARGUMENTS(first);
	va_end(args);
	return execvpe(file, (char *const *)argv, environ);
}

PB_PUBLIC int execle(const char *path, const char *first, ...)
{
	char *const *envp;

	ARGUMENTS(first);
	/* @envp follows the final NULL, or @first if @first is NULL. */
	envp = va_arg(args, char *const *);
	va_end(args);
	return execve(path, (char *const *)argv, envp);
}

long pb_exec_call(long number, const long arg[6])
{
	const int at = number == SYS_execveat;
	char *const *envp = (char *const *)arg[at ? 3 : 2];
	long changed[6];

	CHANGE(envp, at ? (int)arg[0] : AT_FDCWD, (const char *)arg[at],
	       at ? (int)arg[4] : 0);
	memcpy(changed, arg, sizeof(changed));
	changed[at ? 3 : 2] = (long)envp;
	return EXECUTE(pb_raw_syscall(number, changed));
}
