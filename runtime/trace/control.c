/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "attach.h"
#include "control.h"
#include "name_list.h"
#include "ring.h"
#include "session.h"
#include "start.h"

#include <linux/close_range.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/un.h>

/* A client that is stopped must not keep others out for ever. */
#define PATIENCE_SECONDS 2

static int listen_for_clients(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, length, error = 0;

	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
			  PB_CONTROL_NAME "%d", getpid());
	length += (int)offsetof(struct sockaddr_un, sun_path) + 1;
	if (bind(fd, (struct sockaddr *)&address, (socklen_t)length) ||
	    listen(fd, 4)) {
		error = -errno;
		close(fd);
	}
	return error ? error : fd;
}

static int is_same_user(int client)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
	       peer.uid == geteuid();
}

/* *@file is a descriptor that came along, or -1. */
static int receive(int client, struct pb_control_request *request, int *file)
{
	const struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { request, sizeof(*request) };
	/* CMSG_SPACE() has room for a second descriptor: that would stay open. */
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	struct cmsghdr *header;
	ssize_t size;

	*file = -1;
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience,
		   sizeof(patience));
	setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience,
		   sizeof(patience));
	size = recvmsg(client, &message, MSG_CMSG_CLOEXEC);
	if (size < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET &&
	    header->cmsg_type == SCM_RIGHTS)
		memcpy(file, CMSG_DATA(header), sizeof(*file));
	/* Of another version it may have any size. */
	memset((char *)request + size, 0, sizeof(*request) - (size_t)size);
	request->text[sizeof(request->text) - 1] = '\0';
	return 0;
}

static int copy(int from, int to)
{
	ssize_t size;

	do
		size = sendfile(to, from, NULL, 1 << 30);
	while (size > 0 || (size < 0 && errno == EINTR));
	return size ? -errno : 0;
}

/*
 * While the tracer is disabled nobody is in one of its handlers, so no record
 * is half written and no block is begun; chunks that others add lie behind what
 * the header, which is copied first, says is there.
 */
static int snapshot(int to)
{
	pb_sigset signals;
	int from, error;

	if (to < 0)
		return -EBADF;
	error = patchbay_ops_disable(pb_tracer);
	if (!error && pb_values_tracer)
		error = patchbay_ops_disable(pb_values_tracer);
	if (error)
		return error;
	pb_signal_lock(&pb_session->lock, &signals);
	if (pb_session->chunk)
		pb_session_tick();
	from = pb_session->file.header ? pb_data_reopen(&pb_session->file) :
					 -ENODATA;
	pb_signal_unlock(&pb_session->lock, signals);
	error = from < 0 ? from : copy(from, to);
	if (from >= 0)
		close(from);
	if (pb_values_tracer)
		patchbay_ops_enable(pb_values_tracer);
	patchbay_ops_enable(pb_tracer);
	return error;
}

static int set_threshold(const char *text)
{
	uint64_t ns;
	int error = pb_parse_time(text, &ns);

	return error ? error : pb_tracer_set_threshold(ns);
}

/* @file: of names, or -1. */
static int arm_or_disarm(const struct pb_control_request *request, int file)
{
	struct patchbay_filter filters[] = {
		{ .size = sizeof(filters[0]), .glob = request->text },
		{ 0 },
	};
	struct pb_name_list names = { 0 };
	size_t last = 0;
	int result = 0;

	if (file >= 0) {
		result = pb_name_list_read(&names, file, &filters[1]);
		last = 1;
	}
	/* The client may know names that the library does not. */
	if (!result && request->verb == PB_CONTROL_ARM)
		result = pb_tracer_arm(&filters[last],
				       last ? PATCHBAY_ARM_SKIP : 0);
	/* By the glob, too: modules that are loaded later are armed by it. */
	else if (!result)
		result = pb_tracer_disarm(filters, last + 1);
	pb_name_list_free(&names);
	return result;
}

static int carry_out(int client, const struct pb_control_request *request,
		     int file)
{
	if (request->version != PB_CONTROL_VERSION)
		return -EPROTONOSUPPORT;
	switch (request->verb) {
	case PB_CONTROL_STATUS:
		return 0;
	case PB_CONTROL_ARM:
	case PB_CONTROL_DISARM:
		return arm_or_disarm(request, file);
	case PB_CONTROL_THRESHOLD:
		return set_threshold(request->text);
	case PB_CONTROL_SNAPSHOT:
		return snapshot(file);
	case PB_CONTROL_ATTACH:
		return pb_attach(client, request, file);
	}
	return -ENOSYS;
}

static void describe(struct pb_control_reply *reply)
{
	struct patchbay_ops_info info = { .size = sizeof(info) };

	if (!patchbay_ops_get_info(pb_tracer, &info))
		reply->armed = info.armed;
	reply->threshold_ns = pb_options.threshold_ns;
	reply->recording = (uint32_t)pb_tracer_is_recording();
	strncpy(reply->tracer, pb_options.tracer_name,
		sizeof(reply->tracer) - 1);
	memcpy(reply->file, pb_session->file.path, sizeof(reply->file));
}

/* Is the connection still needed? */
static int answer(int client)
{
	struct pb_control_reply reply = { .version = PB_CONTROL_VERSION };
	struct pb_control_request request;
	int file;

	if (!is_same_user(client) || receive(client, &request, &file))
		return 0;
	reply.result = carry_out(client, &request, file);
	if (file >= 0)
		close(file);
	describe(&reply);
	send(client, &reply, sizeof(reply), MSG_NOSIGNAL);
	return request.version == PB_CONTROL_VERSION &&
	       request.verb == PB_CONTROL_ATTACH && reply.result >= 0;
}

static void *serve(void *arg)
{
	int client, fd;

	(void)arg;
	pb_untraced = 1;
	/*
	 * From here on the thread has descriptors of its own: the program cannot
	 * close them and does not find numbers taken, and files that it closes
	 * are not kept open here.
	 */
	if (close_range(0, ~0u, CLOSE_RANGE_UNSHARE)) {
		pb_note(-errno);
		return NULL;
	}
	fd = listen_for_clients();
	pb_note(fd);
	while (fd >= 0) {
		pb_attach_wait(fd);
		client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		/* EAGAIN: who connected has gone again. */
		if (client < 0 && errno != EINTR && errno != EAGAIN &&
		    errno != ECONNABORTED)
			break;
		if (client < 0)
			continue;
		if (!answer(client))
			close(client);
	}
	return NULL;
}

int pb_control_start(void)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	/* The program's signals are for its own threads; traps are ours, too. */
	sigfillset(&all);
	sigdelset(&all, SIGTRAP);
	error = pthread_attr_init(&attr);
	if (error)
		return -error;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attr, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -error;
}
