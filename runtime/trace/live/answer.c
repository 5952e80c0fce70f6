/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "attach.h"
#include "budget/budget.h"
#include "file/arena.h"
#include "functions/site_check.h"
#include "name_list.h"
#include "options/option_table.h"
#include "session/parent.h"
#include "session/session.h"
#include "start/start.h"
#include "threads/thread.h"
#include "tracers/under.h"
#include "visit.h"
#include "watch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Make the recorder write all present records to the file. Waits at most 5 s. */
static void write_records(void)
{
	int is_written = 0;

	while (!is_written && !pb_arena_wait()) {
		pb_guard(&pb_session->lock);
		is_written = pb_arena_write_rest(&pb_session->file);
	}
}

/*
 * Open the data file for the client. The client makes the copy, so that a slow or stopped
 * client delays no thread of this process. Threads may continue to write during the copy,
 * because records are committed one by one (ring.h). Returns a descriptor or -errno.
 */
static int open_data_file(void)
{
	pb_sigset signals;
	int file;

	pb_signal_lock(&pb_session->lock, &signals);
	if (pb_session->chunk) {
		pb_threads_write_names();
		pb_session_tick();
	}
	/* The client gets only this file, so the file must contain inherited chunks. */
	file = pb_session->file.header ? pb_parent_copy() : -ENODATA;
	if (!file)
		file = pb_data_reopen(&pb_session->file);
	pb_signal_unlock(&pb_session->lock, signals);
	if (file >= 0)
		write_records();
	return file;
}

static int watch(int client, const char *text, int *file)
{
	int error;

	*file = open_data_file();
	if (*file < 0)
		return *file;
	error = pb_watch(client, text);
	if (error) {
		close(*file);
		*file = -1;
	}
	return error;
}

static int set_threshold(const char *text)
{
	uint64_t ns;
	int error = pb_parse_time(text, &ns);

	return error ? error : pb_tracer_set_threshold(ns);
}

/* Carry out ARM, DISARM, UNDER or UNDER_TOO. */
static int change_functions(const struct pb_message *message)
{
	const struct pb_control_request *request = &message->request;
	struct patchbay_filter filters[] = {
		{ .size = sizeof(filters[0]), .glob = request->text },
		{ 0 },
	};
	/*
	 * The client may match names that this library cannot match, and send the symbols.
	 */
	const size_t last = message->names >= 0;
	struct pb_name_list names = { 0 };
	int result = last ? pb_name_list_read(&names, message->names, &filters[1]) : 0;

	if (!result && request->verb == PB_CONTROL_ARM)
		result = pb_tracer_arm(&filters[last], last ? PATCHBAY_ARM_SKIP : 0);
	/* Disarm by the glob, too: an earlier ARM may apply the glob to future modules. */
	else if (!result && request->verb == PB_CONTROL_DISARM)
		result = pb_tracer_disarm(filters, last + 1);
	else if (!result)
		result = pb_under_set(*request->text ? &filters[last] : NULL,
				      request->verb == PB_CONTROL_UNDER_TOO);
	pb_name_list_free(&names);
	return result;
}

/* Does the request need a recording? */
static int is_of_recording(uint32_t verb)
{
	switch (verb) {
	case PB_CONTROL_ARM:
	case PB_CONTROL_DISARM:
	case PB_CONTROL_UNDER:
	case PB_CONTROL_UNDER_TOO:
	case PB_CONTROL_THRESHOLD:
	case PB_CONTROL_SNAPSHOT:
	case PB_CONTROL_WATCH:
		return 1;
	}
	return 0;
}

/* Sets *@file to a descriptor for the client, or leaves *@file at -1. */
static int carry_out(int client, struct pb_message *message, int *file)
{
	if (message->unexpected)
		return -EBADF;
	if (pb_visit_is_idle() && is_of_recording(message->request.verb))
		return -EUNATCH;
	switch (message->request.verb) {
	case PB_CONTROL_STATUS:
		return 0;
	case PB_CONTROL_ARM:
	case PB_CONTROL_DISARM:
	case PB_CONTROL_UNDER:
	case PB_CONTROL_UNDER_TOO:
		return change_functions(message);
	case PB_CONTROL_THRESHOLD:
		return set_threshold(message->request.text);
	case PB_CONTROL_SNAPSHOT:
		*file = open_data_file();
		return *file < 0 ? *file : 0;
	case PB_CONTROL_WATCH:
		return watch(client, message->request.text, file);
	case PB_CONTROL_ATTACH:
		return pb_attach(client, message);
	case PB_CONTROL_HOLD:
		return pb_visit_hold(client, message->request.text);
	}
	return -ENOSYS;
}

static void describe_state(struct pb_control_reply *reply)
{
	struct patchbay_stats stats = { .size = sizeof(stats) };

	if ((reply->result == -ETIMEDOUT || reply->result == -EAGAIN) &&
	    !patchbay_get_stats(&stats))
		reply->waited_for = (uint32_t)stats.waited_for;

	reply->armed = pb_tracer_armed();
	reply->threshold_ns = pb_options.threshold_ns;
	reply->roots = pb_under_roots();
	reply->overhead = pb_budget_overhead();
	reply->recording = (uint32_t)pb_tracer_is_recording();
	strncpy(reply->tracer, pb_options.tracer_name,
		sizeof(reply->tracer) - 1);
	memcpy(reply->file, pb_session->file.path, sizeof(reply->file));
}

int pb_answer(int client, struct pb_message *message)
{
	struct pb_control_reply reply = { .version = PB_CONTROL_VERSION };
	int file = -1;

	pb_site_check();
	reply.result = carry_out(client, message, &file);
	/*
	 * Close received files before the reply, so that they are closed when the client
	 * gets it.
	 */
	pb_message_close(message);
	describe_state(&reply);
	pb_message_reply(client, &reply, file);
	if (file >= 0)
		close(file);
	return reply.result >= 0 &&
	       (message->request.verb == PB_CONTROL_ATTACH ||
		message->request.verb == PB_CONTROL_WATCH ||
		message->request.verb == PB_CONTROL_HOLD);
}
