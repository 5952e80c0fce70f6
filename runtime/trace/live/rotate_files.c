/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finishes files that were left, and decides which files stay. The listening
 * thread runs this code.
 */
#include "rotate_files.h"

#include "file/new_file.h"
#include "file/own_file.h"
#include "file/quota.h"
#include "session/losses.h"
#include "session/others.h"
#include "session/session.h"
#include "system/folder.h"
#include "system/moment.h"
#include "threads/rotate.h"

#include <core/system/memory.h>
#include <core/system/sort.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <time.h>

/*
 * Intervals between two looks for files to finish. They are long if nothing is written.
 */
#define SOON_MS 10
#define BUSY_MS 100
#define IDLE_MS 500
#define FOLDER_MS 1000

/* "20260131T235959.999Z", of UTC. */
#define STAMP_SIZE 21

static void stamp(char text[STAMP_SIZE], uint64_t ms)
{
	const time_t seconds = (time_t)(ms / 1000);
	struct tm parts;
	size_t length;

	gmtime_r(&seconds, &parts);
	length = strftime(text, STAMP_SIZE, "%Y%m%dT%H%M%S", &parts);
	snprintf(text + length, STAMP_SIZE - length, ".%03uZ",
		 (unsigned int)(ms % 1000));
}

/* Uses the present time, or the next time that no other file of this process has. */
static int give_final_name(const char *path, uint32_t pid)
{
	uint64_t ms = pb_now_ns(CLOCK_REALTIME) / 1000000;
	const char *name = strrchr(path, '/') + 1;
	char final[PATH_MAX + 64], time[STAMP_SIZE];
	int error;

	do {
		stamp(time, ms++);
		snprintf(final, sizeof(final), "%.*s%u.%s%s",
			 (int)(name - path), path, pid, time, PBD_SUFFIX);
		error = pb_data_rename(path, final);
	} while (error == -EEXIST);
	return error;
}

/* Is it still the file that this process made? The user may have moved it. */
static int is_still(const char *path, uint64_t start_ns)
{
	struct pb_own_file found;
	int file = pb_own_file_open(AT_FDCWD, path, &found);

	if (file < 0)
		return 0;
	close(file);
	return !found.is_whole && found.start_ns == start_ns;
}

static void finish_own(const struct pb_left_file *left)
{
	if (is_still(left->path, left->start_ns))
		give_final_name(left->path, (uint32_t)getpid());
}

struct found {
	char *name;
	uint64_t bytes; /* on disk */
};

struct found_files {
	struct found *all;
	size_t nr, room;
	uint64_t bytes; /* on disk, including files that are still written to */
};

/* If memory is short the list is incomplete. */
static void add_found_file(struct found_files *files, const char *name, uint64_t bytes)
{
	if (files->nr == files->room) {
		size_t more = files->room ? 2 * files->room : 64;
		void *all = pb_realloc(files->all, more * sizeof(*files->all));

		if (!all)
			return;
		files->all = all;
		files->room = more;
	}
	files->all[files->nr].name = pb_copy_string(name);
	files->all[files->nr].bytes = bytes;
	files->nr += files->all[files->nr].name != NULL;
}

static int is_older(const void *left, const void *right)
{
	const struct found *a = left, *b = right;
	int order = strcmp(strchr(a->name, '.'), strchr(b->name, '.'));

	return order ? order : strcmp(a->name, b->name);
}

/* If no process has the file mapped, its process has ended, in whatever way. */
static void finish_of_others(int file, const char *name, uint32_t pid)
{
	char path[PATH_MAX];

	if (!flock(file, LOCK_EX | LOCK_NB) &&
	    (size_t)snprintf(path, sizeof(path), "%s/%s", pb_options.output,
			     name) < sizeof(path))
		give_final_name(path, pid);
}

/* Finds complete files of this recording, the oldest first. */
static void find_files(struct pb_folder *folder, struct found_files *files)
{
	const char *name;

	while ((name = pb_folder_next(folder))) {
		struct pb_own_file found;
		int file = pb_own_file_open(folder->fd, name, &found);

		if (file < 0)
			continue;
		files->bytes += found.bytes;
		/* The next look finds it among the complete files. */
		if (!found.is_whole)
			finish_of_others(file, name, found.pid);
		else
			add_found_file(files, name, found.bytes);
		close(file);
	}
	if (files->nr)
		pb_sort(files->all, files->nr, sizeof(*files->all), is_older);
}

/*
 * Keep room for another file, and at least a quarter of the limit, but at most half. A
 * thread without space loses events until the listening thread has removed files.
 */
static uint64_t size_before_next(void)
{
	uint64_t next = pb_options.max_size / 4;

	if (next < pb_options.rotate_size)
		next = pb_options.rotate_size;
	if (next > pb_options.max_size / 2)
		next = pb_options.max_size / 2;
	return pb_options.max_size - next;
}

/*
 * Count the removal before other processes can see it. Returns 0 if the file is
 * gone: another process may have removed it.
 */
static int remove_file(const struct pb_folder *folder, const struct found *file)
{
	int place = pb_quota_begin(), error, is_gone;

	pb_quota_removed(1);
	error = unlinkat(folder->fd, file->name, 0);
	is_gone = error && errno == ENOENT;
	if (error)
		pb_quota_removed(-1);
	else
		pb_quota_give(file->bytes);
	pb_quota_end(place);
	return is_gone ? 0 : error;
}

/*
 * Other programs may take files away, and processes may end. So the files in
 * the directory count, unless they have changed meanwhile.
 */
static void make_place(void)
{
	struct found_files files = { 0 };
	uint64_t count = pb_quota_count();
	struct pb_folder folder;
	size_t left;

	if (pb_folder_open(&folder, pb_options.output))
		return;
	find_files(&folder, &files);
	pb_quota_correct(count, files.bytes);
	left = files.nr;
	for (size_t i = 0; i < files.nr; i++) {
		int is_too_many = pb_options.keep && left > pb_options.keep;
		int is_too_much = pb_options.max_size &&
				  pb_quota_used() > size_before_next();

		if ((is_too_many || is_too_much) &&
		    !remove_file(&folder, &files.all[i]))
			left--;
		pb_free(files.all[i].name);
	}
	pb_free(files.all);
	pb_folder_close(&folder);
}

/*
 * Threads without room may try again, also if another process has made the
 * room. A forked child may not even have had room for its file.
 */
static int try_again(void)
{
	pb_sigset signals;

	if (!pb_quota_was_refused())
		return 0;
	make_place();
	pb_signal_lock(&pb_session->lock, &signals);
	if (pb_session->failed == -PB_OVER_SIZE)
		pb_session->failed = 0;
	__atomic_fetch_add(&pb_session->again, 1, __ATOMIC_RELAXED);
	pb_signal_unlock(&pb_session->lock, signals);
	return 1;
}

/* Finish the first @nr files, to which no thread writes any more. */
static void finish(uint32_t nr)
{
	struct pb_rotation *of = &pb_session->rotation;
	pb_sigset signals;

	for (uint32_t i = 0; i < nr; i++) {
		/*
		 * While the file is mapped it is locked, and no other process
		 * renames it. After that the next file of this process may get
		 * its name. If a user has moved it, that is no failure.
		 */
		finish_own(&of->left[i]);
		pb_data_unmap_all(of->left[i].header);
	}
	pb_signal_lock(&pb_session->lock, &signals);
	of->nr_left -= nr;
	for (uint32_t i = 0; i < of->nr_left; i++)
		of->left[i] = of->left[i + nr];
	of->failed = 0;
	pb_signal_unlock(&pb_session->lock, signals);
}

/*
 * Also release the parts of its parent's file that this process still uses,
 * once this process has its own file.
 */
static void finish_all(void)
{
	uint32_t nr = __atomic_load_n(&pb_session->rotation.nr_left,
				      __ATOMIC_ACQUIRE);
	const void *inherited = __atomic_load_n(&pb_session->inherited,
						__ATOMIC_ACQUIRE);

	if (!pb_session->rotation.has_maps)
		inherited = NULL;
	/* Waiting for handlers may take a while. */
	if (nr && pb_options.max_size && pb_quota_used() > size_before_next())
		make_place();
	if ((!nr && !inherited) || patchbay_synchronize())
		return;
	if (inherited) {
		pb_data_unmap_all(inherited);
		pb_session->inherited = NULL;
	}
	if (!nr)
		return;
	finish(nr);
	make_place();
}

/* Children come and go, even if nothing else happens. */
static void look_at_folder(uint64_t now)
{
	static struct timespec changed;
	static uint64_t looked;
	struct stat status;

	if (now - looked < FOLDER_MS * 1000000ull ||
	    stat(pb_options.output, &status) ||
	    (status.st_mtim.tv_sec == changed.tv_sec &&
	     status.st_mtim.tv_nsec == changed.tv_nsec))
		return;
	looked = now;
	make_place();
	/* Includes its own changes. */
	if (!stat(pb_options.output, &status))
		changed = status.st_mtim;
}

/* Modules without a traceable function are recorded nowhere else. */
static void write_others(uint64_t now)
{
	const struct pb_rotation *of = &pb_session->rotation;
	const uint64_t since = __atomic_load_n(&of->since_ns, __ATOMIC_RELAXED);

	if (__atomic_load_n(&of->nr_left, __ATOMIC_RELAXED) ||
	    (pb_options.rotate_ms && since &&
	     now - since >= pb_options.rotate_ms * 1000000))
		pb_others_write();
}

/* Switch when it is due, unless the file is empty. Returns the ms until then. */
static uint64_t switch_in_time(uint64_t now)
{
	struct pb_rotation *of = &pb_session->rotation;
	uint64_t every = pb_options.rotate_ms * 1000000, passed;
	pb_sigset signals;

	if (!every)
		return UINT64_MAX;
	pb_signal_lock(&pb_session->lock, &signals);
	passed = of->since_ns ? now - of->since_ns : 0;
	if (passed >= every && of->has_events && !pb_rotate_switch())
		passed = 0;
	pb_signal_unlock(&pb_session->lock, signals);
	/* The switch is due; look again soon. */
	return passed >= every ? BUSY_MS : (every - passed) / 1000000 + 1;
}

int pb_rotate_look(void)
{
	static uint64_t written;
	uint64_t before = written, left, now;
	int is_refused = try_again();
	pb_sigset signals;

	if (!pb_options_rotate(&pb_options))
		return -1;
	now = pb_now_ns(CLOCK_MONOTONIC);
	write_others(now);
	left = switch_in_time(now);
	finish_all();
	look_at_folder(pb_now_ns(CLOCK_MONOTONIC));
	pb_signal_lock(&pb_session->lock, &signals);
	/* The next file has fewer bytes. */
	now = pb_session->file.header ? pb_session->file.header->committed : 0;
	written = now;
	if (pb_session->rotation.failed) {
		pb_session->rotation.failed = 0;
		before = 0;
	}
	pb_signal_unlock(&pb_session->lock, signals);
	if (pb_session->rotation.nr_left || is_refused)
		return SOON_MS;
	if (now != before && now - before > pb_options.rotate_size / 4)
		return SOON_MS;
	if (left > BUSY_MS && now != before)
		return BUSY_MS;
	return left < IDLE_MS ? (int)left : IDLE_MS;
}

/* The last file may have no events. */
static int is_empty(void)
{
	const struct pbd_losses *losses = pb_session->losses;
	int has_lost = 0;

	for (size_t i = 0; losses && i < PBD_LOSS_MAX; i++)
		has_lost |= losses->process.count[i] != 0;
	return pb_session->rotation.generation &&
	       !pb_session->rotation.has_events && !has_lost;
}

static void end_last(void)
{
	const struct pb_data_file *file = &pb_session->file;

	if (!file->header || !is_still(file->path, file->header->start_ns))
		return;
	if (is_empty())
		unlink(file->path);
	else
		give_final_name(file->path, file->header->pid);
}

void pb_rotate_end(void)
{
	if (!pb_options_rotate(&pb_options))
		return;
	finish(pb_session->rotation.nr_left);
	end_last();
	make_place();
}

/*
 * The listening thread may be doing the same. The second one finds no file of
 * that name, which is no failure.
 */
void pb_rotate_exit(void)
{
	struct pb_rotation *of = &pb_session->rotation;
	pb_sigset signals;

	if (!pb_options_rotate(&pb_options))
		return;
	pb_signal_lock(&pb_session->lock, &signals);
	for (uint32_t i = 0; i < of->nr_left; i++)
		finish_own(&of->left[i]);
	end_last();
	pb_signal_unlock(&pb_session->lock, signals);
}
