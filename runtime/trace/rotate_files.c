/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that were left, and which of them stay; what the thread that listens does. */
#include "rotate.h"

#include "losses.h"
#include "moment.h"
#include "others.h"
#include "own_file.h"
#include "quota.h"
#include "session.h"

#include <core/copy_string.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <time.h>

/* So often it looks whether there is something to finish; seldom if nothing is written. */
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

/* With the time of now, or the next that no other file of this process has. */
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
	uint64_t bytes; /* of the disk */
};

struct found_files {
	struct found *all;
	size_t nr, room;
	uint64_t bytes; /* of these, and of others that are written to */
};

/* Out of memory there are fewer. */
static void add(struct found_files *files, const char *name, uint64_t bytes)
{
	if (files->nr == files->room) {
		size_t more = files->room ? 2 * files->room : 64;
		void *all = realloc(files->all, more * sizeof(*files->all));

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

/* Its process has ended, however that was, if the file is mapped nowhere. */
static void finish_of_others(int file, const char *name, uint32_t pid)
{
	char path[PATH_MAX];

	if (!flock(file, LOCK_EX | LOCK_NB) &&
	    (size_t)snprintf(path, sizeof(path), "%s/%s", pb_options.output,
			     name) < sizeof(path))
		give_final_name(path, pid);
}

/* Those of this recording that are whole, the oldest first. */
static void find_files(DIR *folder, struct found_files *files)
{
	const struct dirent *entry;

	while ((entry = readdir(folder))) {
		struct pb_own_file found;
		int file = pb_own_file_open(dirfd(folder), entry->d_name,
					    &found);

		if (file < 0)
			continue;
		files->bytes += found.bytes;
		/* It is among the others the next time. */
		if (!found.is_whole)
			finish_of_others(file, entry->d_name, found.pid);
		else
			add(files, entry->d_name, found.bytes);
		close(file);
	}
	if (files->nr)
		qsort(files->all, files->nr, sizeof(*files->all), is_older);
}

/*
 * So much has to be free that another file fits, and a quarter of all, but not more than
 * half: who finds no space loses what it has, until this thread has had its turn.
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
 * It is counted before anybody can see that it is gone. Returns 0 if it is: another
 * process may have removed it.
 */
static int remove_file(DIR *folder, const struct found *file)
{
	int place = pb_quota_begin(), error, is_gone;

	pb_quota_removed(1);
	error = unlinkat(dirfd(folder), file->name, 0);
	is_gone = error && errno == ENOENT;
	if (error)
		pb_quota_removed(-1);
	else
		pb_quota_give(file->bytes);
	pb_quota_end(place);
	return is_gone ? 0 : error;
}

/*
 * A collector may take files away, and processes may end: so what there is in the
 * directory counts, unless it has changed meanwhile.
 */
static void make_place(void)
{
	struct found_files files = { 0 };
	uint64_t count = pb_quota_count();
	DIR *folder = opendir(pb_options.output);
	size_t left;

	if (!folder)
		return;
	find_files(folder, &files);
	pb_quota_correct(count, files.bytes);
	left = files.nr;
	for (size_t i = 0; i < files.nr; i++) {
		int is_too_many = pb_options.keep && left > pb_options.keep;
		int is_too_much = pb_options.max_size &&
				  pb_quota_used() > size_before_next();

		if ((is_too_many || is_too_much) &&
		    !remove_file(folder, &files.all[i]))
			left--;
		free(files.all[i].name);
	}
	free(files.all);
	closedir(folder);
}

/*
 * Who has found no room may try again, also where another process has made it. A forked
 * child may not even have found any for its file.
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

/* Of those that nobody writes to any more; first in, first out. */
static void finish(uint32_t nr)
{
	struct pb_rotation *of = &pb_session->rotation;
	pb_sigset signals;

	for (uint32_t i = 0; i < nr; i++) {
		/*
		 * As long as it is mapped it is locked, and nobody else gives it a
		 * name: after that the next file of this process may be called so.
		 * Somebody may have moved it, which is no failure of ours.
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
 * What has its place in the file of the process that forked this one is here, too, once
 * this one has a file.
 */
static void finish_all(void)
{
	uint32_t nr = __atomic_load_n(&pb_session->rotation.nr_left,
				      __ATOMIC_ACQUIRE);
	const void *inherited = __atomic_load_n(&pb_session->inherited,
						__ATOMIC_ACQUIRE);

	if (!pb_session->rotation.has_maps)
		inherited = NULL;
	/* To wait for handlers may take a while. */
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

/* Children come and go, also where nothing else happens. */
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
	/* What it has changed itself. */
	if (!stat(pb_options.output, &status))
		changed = status.st_mtim;
}

/* Modules that came without a function to trace are told of nowhere else. */
static void write_others(uint64_t now)
{
	const struct pb_rotation *of = &pb_session->rotation;
	const uint64_t since = __atomic_load_n(&of->since_ns, __ATOMIC_RELAXED);

	if (__atomic_load_n(&of->nr_left, __ATOMIC_RELAXED) ||
	    (pb_options.rotate_ms && since &&
	     now - since >= pb_options.rotate_ms * 1000000))
		pb_others_write();
}

/* When the time has come, unless there is nothing in the file. Returns the ms until then. */
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
	/* It is looked again soon. */
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
	/* Of the next file it is less. */
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

/* The last one may have been begun in vain. */
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
 * The thread that listens may be about to do the same: who comes second finds no file of
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
