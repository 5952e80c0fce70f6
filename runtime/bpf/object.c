/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object.h"

#include "system/attr.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The largest file. Typical objects have some kilobytes. */
#define FILE_MAX ((off_t)1 << 26)

static int read_opts(struct patchbay_bpf_opts *to,
		     const struct patchbay_bpf_opts *from)
{
	*to = (struct patchbay_bpf_opts){ .size = sizeof(*to) };
	return from ? pb_read_attr(to, sizeof(*to), from,
				   PATCHBAY_BPF_OPTS_SIZE_VER0) :
		      0;
}

/*
 * Held while an object is read, because libbpf has only one print callback. Recursive, because
 * the log callback may open another object.
 */
static pthread_mutex_t reading = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int patchbay_bpf_open_mem(const void *bytes, size_t size,
			  const struct patchbay_bpf_opts *opts,
			  struct patchbay_bpf_object **object)
{
	struct patchbay_bpf_object *new;
	struct patchbay_bpf_opts own;
	int error = read_opts(&own, opts);

	if (error)
		return error;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	pthread_mutex_lock(&reading);
	error = pb_bpf_read(new, bytes, size, &own);
	pthread_mutex_unlock(&reading);
	if (error)
		pb_bpf_object_free(new);
	else
		*object = new;
	return error;
}

static int read_all(int fd, unsigned char *bytes, size_t size)
{
	while (size) {
		ssize_t nr = read(fd, bytes, size);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return nr ? -errno : -EINVAL;
		bytes += nr;
		size -= (size_t)nr;
	}
	return 0;
}

static int read_file(int fd, unsigned char **bytes, size_t *size)
{
	struct stat status;
	int error;

	if (fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || !status.st_size ||
	    status.st_size > FILE_MAX)
		return -EINVAL;
	*size = (size_t)status.st_size;
	*bytes = malloc(*size);
	if (!*bytes)
		return -ENOMEM;
	error = read_all(fd, *bytes, *size);
	if (error)
		free(*bytes);
	return error;
}

int patchbay_bpf_open(const char *path, const struct patchbay_bpf_opts *opts,
		      struct patchbay_bpf_object **object)
{
	struct patchbay_bpf_opts own;
	unsigned char *bytes;
	size_t size;
	int error = read_opts(&own, opts), fd;

	if (error)
		return error;
	opts = &own;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return pb_bpf_log(opts, path, -errno, strerror(errno));
	error = read_file(fd, &bytes, &size);
	close(fd);
	if (error)
		return pb_bpf_log(opts, path, error,
				  error == -EINVAL ? "not an object file" :
						     strerror(-error));
	error = patchbay_bpf_open_mem(bytes, size, opts, object);
	free(bytes);
	return error;
}

void pb_bpf_object_free(struct patchbay_bpf_object *object)
{
	for (uint32_t i = 0; i < object->nr_programs; i++) {
		struct patchbay_bpf_program *program = &object->programs[i];

		pb_bpf_machine_unload(&program->machine);
		free(program->name);
		free(program->section);
	}
	for (uint32_t i = 0; i < object->nr_maps; i++) {
		pb_bpf_map_destroy(object->maps[i]);
		free(object->maps[i]);
	}
	free(object->programs);
	free(object->maps);
	free(object);
}

int patchbay_bpf_close(struct patchbay_bpf_object *object)
{
	if (!object)
		return 0;
	for (uint32_t i = 0; i < object->nr_programs; i++) {
		int error = patchbay_bpf_detach(&object->programs[i]);

		if (error && error != -ENOLINK)
			return error;
	}
	pb_bpf_object_free(object);
	return 0;
}

struct patchbay_bpf_program *
patchbay_bpf_next_program(const struct patchbay_bpf_object *object,
			  const struct patchbay_bpf_program *program)
{
	uint32_t next = program ? (uint32_t)(program - object->programs) + 1 : 0;

	return next < object->nr_programs ? &object->programs[next] : NULL;
}

struct patchbay_bpf_program *
patchbay_bpf_find_program(const struct patchbay_bpf_object *object,
			  const char *name)
{
	for (uint32_t i = 0; i < object->nr_programs; i++)
		if (!strcmp(object->programs[i].name, name))
			return &object->programs[i];
	return NULL;
}

const char *patchbay_bpf_program_name(const struct patchbay_bpf_program *program)
{
	return program->name;
}

const char *
patchbay_bpf_program_section(const struct patchbay_bpf_program *program)
{
	return program->section;
}

struct patchbay_bpf_map *
patchbay_bpf_next_map(const struct patchbay_bpf_object *object,
		      const struct patchbay_bpf_map *map)
{
	uint32_t next = 0;

	while (map && next < object->nr_maps && object->maps[next++] != map)
		;
	return next < object->nr_maps ? object->maps[next] : NULL;
}

struct patchbay_bpf_map *
patchbay_bpf_find_map(const struct patchbay_bpf_object *object,
		      const char *name)
{
	for (uint32_t i = 0; i < object->nr_maps; i++)
		if (!strcmp(object->maps[i]->name, name))
			return object->maps[i];
	return NULL;
}
