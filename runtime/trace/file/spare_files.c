/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "spare_files.h"

#include "data_file.h"
#include "format/format.h"
#include "system/descriptor.h"
#include "system/file_name.h"
#include "system/sys.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>

/*
 * The socket's descriptor plus 1; 0: none. In memory that fork() copies, because a child
 * inherits the descriptor.
 */
static int kept;
static struct pb_identity identity;

/* A message with a file's path and descriptor. */
struct message {
	struct msghdr head;
	struct iovec path;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} rights;
};

static void prepare(struct message *message, char *path, size_t size)
{
	static const struct message nothing;

	/*
	 * Clear the padding, too: in some C libraries the kernel reads the upper halves of
	 * numbers there.
	 */
	pb_copy(message, &nothing, sizeof(nothing));
	message->path.iov_base = path;
	message->path.iov_len = size;
	message->head.msg_iov = &message->path;
	message->head.msg_iovlen = 1;
	message->head.msg_control = &message->rights;
	message->head.msg_controllen = sizeof(message->rights);
	message->rights.head.cmsg_level = SOL_SOCKET;
	message->rights.head.cmsg_type = SCM_RIGHTS;
	message->rights.head.cmsg_len = CMSG_LEN(sizeof(int));
}

static int *descriptor_in(struct message *message)
{
	return (int *)CMSG_DATA(&message->rights.head);
}

/* Make a file with the next free name. */
static int make_one(const char *output, char path[PATH_MAX], unsigned int *nr)
{
	int fd = -EEXIST;

	while (fd == -EEXIST && ++*nr < 10000) {
		fd = pb_file_name(path, output, *nr, PBD_SPARE_SUFFIX);
		if (!fd)
			fd = (int)pb_sys(SYS_openat, AT_FDCWD, path,
					 O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
					 PB_DATA_MODE);
	}
	return fd;
}

static int put(int socket, char *path, int fd)
{
	struct message message;

	/* The lock lets `patchbay record` see that a process may still take the file. */
	pb_sys(SYS_flock, fd, LOCK_SH | LOCK_NB);
	prepare(&message, path, pb_length(path) + 1);
	*descriptor_in(&message) = fd;
	return (int)pb_sys(SYS_sendmsg, socket, &message.head,
			   MSG_NOSIGNAL | MSG_DONTWAIT);
}

static int fill(int socket, const char *output)
{
	char path[PATH_MAX];
	unsigned int nr = 0;
	int made = 0;

	for (; made < PB_SPARE_FILES; made++) {
		int fd = make_one(output, path, &nr), sent;

		if (fd < 0)
			break;
		sent = put(socket, path, fd);
		pb_sys(SYS_close, fd);
		if (sent < 0) {
			pb_sys(SYS_unlinkat, AT_FDCWD, path, 0);
			break;
		}
	}
	return made;
}

/* Does the process still have the socket? The program may have closed it. */
static int is_there(void)
{
	return kept && pb_is_of(kept - 1, &identity);
}

void pb_spare_files_make(const char *output)
{
	int ends[2];

	if (is_there() || pb_sys(SYS_socketpair, AF_UNIX,
				 SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return;
	kept = 0;
	if (fill(ends[1], output) && !pb_identify(ends[0], &identity)) {
		ends[0] = pb_keep_descriptor(ends[0]);
		kept = ends[0] < 0 ? 0 : ends[0] + 1;
	} else {
		pb_sys(SYS_close, ends[0]);
	}
	pb_sys(SYS_close, ends[1]);
}

/* Receives the path, including its NUL, and the descriptor of the message. */
static int receive(int socket, char path[PATH_MAX])
{
	struct message message;
	long size;

	prepare(&message, path, PATH_MAX);
	size = pb_sys(SYS_recvmsg, socket, &message.head,
		      MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (size <= 0)
		return size ? (int)size : -ENOENT;
	/*
	 * The kernel drops the descriptor in the message if the process has no free
	 * descriptor.
	 */
	if (message.head.msg_controllen < sizeof(message.rights.head) ||
	    path[size - 1])
		return -EMFILE;
	return *descriptor_in(&message);
}

int pb_spare_files_take(char path[PATH_MAX])
{
	int socket, fd;

	if (!kept)
		return -ENOENT;
	socket = pb_copy_kept(kept - 1, &identity);
	if (socket < 0)
		return socket;
	fd = receive(socket, path);
	pb_sys(SYS_close, socket);
	return fd;
}
