/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "listen.h"

#include "attach.h"
#include "budget/budget.h"
#include "functions/site_check.h"
#include "gate.h"
#include "message.h"
#include "session/session.h"
#include "stack.h"
#include "start/live_part.h"
#include "start/start.h"
#include "system/fork_lock.h"
#include "system/lock.h"
#include "system/moment.h"
#include "system/wake.h"
#include "system/wrap.h"
#include "threads/rotate.h"
#include "visit.h"
#include "watch.h"

#include <core/system/private.h>

#include <linux/close_range.h>
#include <linux/prctl.h>

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

/*
 * The time limit for a client to send its request: on a busy machine a client may get no
 * processor for seconds. Other clients are served meanwhile.
 */
#define REQUEST_NS 10000000000ull

/*
 * The thread wakes up at least this often to check whether it must end, because a command
 * may die before its PB_CONTROL_HOLD.
 */
#define LOOK_MS 500

/*
 * fork() fills this with zeros, because the child has no listening thread.
 * @started: the thread exists, or is being created
 * @begun:   the thread has opened its files, or has failed
 * @ending:  the thread must end
 */
static struct listener {
	struct pb_control_point point;
	int started;
	int begun;
	int ending;
} *self;

/*
 * Clients that have not sent their request yet, by place (control.h). If all places are
 * taken, a new client replaces the oldest client.
 */
static struct place {
	int client; /* -1: the place is free */
	uint64_t since_ns;
} places[PB_CONTROL_PLACES];

static void free_place(size_t nr)
{
	explicit_bzero(pb_control_point->proof[nr], PB_CONTROL_PROOF);
	places[nr].client = -1;
}

static void drop(size_t nr)
{
	close(places[nr].client);
	free_place(nr);
}

static size_t find_place(void)
{
	size_t oldest = 0;

	for (size_t i = 0; i < PB_CONTROL_PLACES; i++) {
		if (places[i].client < 0)
			return i;
		if (places[i].since_ns < places[oldest].since_ns)
			oldest = i;
	}
	drop(oldest);
	return oldest;
}

static void greet(int client)
{
	const struct timeval patience = { .tv_sec = PB_PATIENCE_SECONDS };
	size_t nr = find_place();
	const struct pb_control_greeting greeting = {
		.version = PB_CONTROL_VERSION,
		.place = (uint32_t)nr,
	};

	setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience,
		   sizeof(patience));
	places[nr].client = client;
	places[nr].since_ns = pb_now_ns(CLOCK_MONOTONIC);
	/* Store the proof before sending the number of the place. */
	if (getrandom(pb_control_point->proof[nr], PB_CONTROL_PROOF, 0) !=
		    PB_CONTROL_PROOF ||
	    send(client, &greeting, sizeof(greeting),
		 MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof(greeting))
		drop(nr);
}

static void admit_client(int gate)
{
	int client = pb_gate_take(gate);

	if (client >= 0)
		greet(client);
}

/* The run time is independent of the number of matching bytes. */
static int is_proven(const uint8_t *proof, const uint8_t *given)
{
	unsigned int differs = 0;

	for (size_t i = 0; i < PB_CONTROL_PROOF; i++)
		differs |= (unsigned int)(proof[i] ^ given[i]);
	return !differs;
}

/* Returns 0, or the error to send to the client. */
static int check_request(const struct pb_control_request *request, const uint8_t *proof)
{
	if (request->version != PB_CONTROL_VERSION)
		return -EPROTONOSUPPORT;
	return is_proven(proof, request->proof) ? 0 : -EKEYREJECTED;
}

static void refuse(int client, int error)
{
	const struct pb_control_reply reply = { .version = PB_CONTROL_VERSION,
						.result = error };

	pb_message_drop(client);
	pb_message_reply(client, &reply, -1);
	close(client);
}

static void answer(int client)
{
	struct pb_message message;
	int is_needed = 0;

	if (!pb_message_receive(client, &message)) {
		is_needed = pb_answer(client, &message);
		pb_message_close(&message);
	}
	if (!is_needed)
		close(client);
}

/* Each proof is valid for one request, even an invalid request. */
static void read_request(size_t nr)
{
	struct pb_control_request request;
	int client = places[nr].client;
	int error = pb_message_peek(client, &request);

	if (error == -EAGAIN || error == -EINTR)
		return;
	if (error) {
		drop(nr);
		return;
	}
	error = check_request(&request, pb_control_point->proof[nr]);
	free_place(nr);
	if (error)
		refuse(client, error);
	else
		answer(client);
}

/* Returns the ms until the next client exceeds its time limit, or -1. */
static int until_late(void)
{
	const uint64_t now = pb_now_ns(CLOCK_MONOTONIC);
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < PB_CONTROL_PLACES; i++) {
		const uint64_t passed = now - places[i].since_ns;
		const uint64_t left = passed < REQUEST_NS ? REQUEST_NS - passed : 0;

		if (places[i].client >= 0 && left < least)
			least = left;
	}
	return least == UINT64_MAX ? -1 : (int)(least / 1000000) + 1;
}

/*
 * Drop clients that have exceeded the time limit. Call this only after answering all
 * received requests, because the delay may be in this thread. Returns how many clients are
 * left.
 */
static int drop_late(void)
{
	const uint64_t now = pb_now_ns(CLOCK_MONOTONIC);
	int nr = 0;

	for (size_t i = 0; i < PB_CONTROL_PLACES; i++) {
		if (places[i].client >= 0 && now - places[i].since_ns >= REQUEST_NS)
			drop(i);
		nr += places[i].client >= 0;
	}
	return nr;
}

/* Returns a descriptor of wake-ups (wake.h) for poll(2), or -errno. */
static int open_wakes(void)
{
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, PB_WAKE_SIGNAL);
	fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void take_wakes(int wakes)
{
	struct signalfd_siginfo one;

	/* One read takes all wake-ups, because the signal is not a real-time signal. */
	while (read(wakes, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Returns the shorter timeout. A negative @other means no timeout. */
static int sooner(int ms, int other)
{
	return other >= 0 && other < ms ? other : ms;
}

/* Serves all clients once. @wakes is negative if signalfd(2) has failed. */
static void serve_once(int gate, int wakes)
{
	struct pollfd fds[4 + PB_CONTROL_PLACES + PB_ATTACHED_MAX + PB_CONTROL_KEEPERS];
	struct pollfd *watcher = &fds[1 + PB_CONTROL_PLACES];
	struct pollfd *woken = watcher + 1;
	struct pollfd *visitors = woken + 1, *attached;
	nfds_t nr_visitors, nr_attached;
	int timeout = sooner(sooner(LOOK_MS, until_late()), pb_attach_tick()), nr_ready;

	fds[0] = (struct pollfd){ gate, POLLIN, 0 };
	/* poll(2) ignores negative descriptors. */
	for (size_t i = 0; i < PB_CONTROL_PLACES; i++)
		fds[1 + i] = (struct pollfd){ places[i].client, POLLIN, 0 };
	*watcher = (struct pollfd){ pb_watch_client(), POLLIN, 0 };
	*woken = (struct pollfd){ wakes, POLLIN, 0 };
	nr_visitors = pb_visit_poll(visitors);
	attached = visitors + nr_visitors;
	nr_attached = pb_attach_poll(attached);
	timeout = sooner(timeout, pb_budget_look());
	timeout = sooner(timeout, pb_rotate_look());
	if (pb_watch_client() >= 0)
		timeout = sooner(timeout, PB_WATCH_LOOK_MS);
	pb_fork_worked();
	nr_ready = poll(fds, 3 + PB_CONTROL_PLACES + nr_visitors + nr_attached, timeout);
	pb_fork_work();
	pb_budget_rested();
	pb_watch_look();
	if (nr_ready > 0) {
		if (woken->revents)
			take_wakes(wakes);
		if (watcher->revents)
			pb_watch_end();
		pb_visit_polled(visitors, nr_visitors);
		pb_attach_polled(attached, nr_attached);
		for (size_t i = 0; i < PB_CONTROL_PLACES; i++)
			if (fds[1 + i].revents)
				read_request(i);
		if (fds[0].revents)
			admit_client(gate);
	}
	/* pb_site_check_look() may wait for a lock, so call it only if no client waits. */
	if (!drop_late())
		pb_site_check_look();
}

static int is_ending(void)
{
	return __atomic_load_n(&self->ending, __ATOMIC_SEQ_CST);
}

static int begin_listening(void)
{
	int gate;

	pb_untraced = 1;
	/* pb_listen_end() detects the end of the thread by this id. */
	__atomic_store_n(&self->point.thread, (uint32_t)pb_sys(SYS_gettid),
			 __ATOMIC_SEQ_CST);
	if (is_ending())
		return -1;
	/* Set this now: if the program sets it later, it does so for its own threads only. */
	pb_sys(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/*
	 * Give the thread its own, empty descriptor table. So the program cannot close the
	 * thread's descriptors, all numbers are free for the program, and files that the
	 * program closes do not stay open here.
	 */
	if (close_range(0, ~0u, CLOSE_RANGE_UNSHARE)) {
		pb_note(-errno);
		return -1;
	}
	/*
	 * Open /proc/thread-self/mem now, for arming after the process has changed its
	 * user.
	 */
	pb_private_keep_text();
	for (size_t i = 0; i < PB_CONTROL_PLACES; i++)
		places[i].client = -1;
	pb_attach_forget();
	pb_watch_forget();
	gate = pb_gate_open(&self->point);
	pb_note(gate);
	return gate;
}

/* Stop listening until a command visits again. */
static void end_visit(void)
{
	__atomic_store_n(&self->point.ended, PB_CONTROL_LEFT, __ATOMIC_RELAXED);
	__atomic_store_n(&self->point.version, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&self->started, 0, __ATOMIC_SEQ_CST);
	pb_visit_end();
}

/*
 * glibc's count of threads, which libthread_db also reads. A thread that ends decrements
 * the count, and calls exit(3) if the result is 0. So the listening thread must not be
 * counted. NULL: another C library.
 */
static unsigned int *nr_counted;

static void find_count(void)
{
	if (!nr_counted)
		nr_counted = dlsym(RTLD_DEFAULT, "__nptl_nthreads");
}

static void leave_count(void)
{
	if (nr_counted)
		__atomic_fetch_sub(nr_counted, 1, __ATOMIC_RELAXED);
}

/*
 * Undo leave_count(), because glibc decrements the count when this thread ends. If the
 * count was 0, the last other thread is calling exit(3): end this thread directly, because
 * glibc would call exit(3) again.
 */
static void join_count(void)
{
	if (nr_counted && !__atomic_fetch_add(nr_counted, 1, __ATOMIC_RELAXED))
		pb_sys(SYS_exit, 0);
}

static void *serve(void *arg)
{
	int gate = begin_listening(), wakes = gate < 0 ? gate : open_wakes();
	int is_over = 0;

	/* Without a wake descriptor the thread checks for work every LOOK_MS. */
	if (gate >= 0)
		pb_note(wakes);
	__atomic_store_n(&self->begun, 1, __ATOMIC_SEQ_CST);
	/*
	 * @arg is NULL if pb_listen_start() does not wait. After sem_post() the semaphore
	 * may be invalid.
	 */
	if (arg)
		sem_post(arg);
	pb_fork_work();
	while (gate >= 0 && !is_ending() && !is_over) {
		serve_once(gate, wakes);
		pb_visit_look();
		is_over = pb_visit_is_over();
	}
	/* Do not call pb_visit_is_over() again: it may return another result now. */
	if (is_over && !is_ending())
		end_visit();
	pb_fork_worked();
	join_count();
	/* The kernel closes the thread's descriptors. */
	return NULL;
}

static int is_gone(void)
{
	uint32_t thread = __atomic_load_n(&self->point.thread, __ATOMIC_SEQ_CST);

	return thread && pb_sys(SYS_tgkill, getpid(), thread, 0) == -ESRCH;
}

/* Must not be a cancellation point, because the wrappers that call this are not. */
void pb_listen_await(void)
{
	int tries = PB_LISTEN_AWAIT_MS;

	if (!self || !__atomic_load_n(&self->started, __ATOMIC_SEQ_CST))
		return;
	/*
	 * The caller may be the listening thread, in code that was loaded for a client:
	 * that thread must not wait for itself.
	 */
	if (self->point.thread == pb_sys(SYS_gettid))
		return;
	while (!__atomic_load_n(&self->begun, __ATOMIC_SEQ_CST) && --tries)
		pb_pause_ns(1000000);
}

/* Must not be a cancellation point, because prctl() is not. */
int pb_listen_end(void)
{
	int tries = PB_LISTEN_END_SECONDS * 1000;

	if (!self || !__atomic_load_n(&self->started, __ATOMIC_SEQ_CST))
		return 0;
	/* The listening thread must not wait for itself, as in pb_listen_await(). */
	if (self->point.thread == pb_sys(SYS_gettid))
		return 0;
	__atomic_store_n(&self->ending, 1, __ATOMIC_SEQ_CST);
	pb_wake(&self->point);
	while (!is_gone() && --tries)
		pb_pause_ns(1000000);
	if (!tries)
		pb_note(-ETIME);
	/* These stores make clients stop waiting for the thread. */
	__atomic_store_n(&self->point.ended, PB_CONTROL_RESTRICTED, __ATOMIC_RELAXED);
	__atomic_store_n(&self->point.version, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&self->started, 0, __ATOMIC_SEQ_CST);
	return 1;
}

void pb_listen_never(void)
{
	if (self)
		self->point.ended = PB_CONTROL_RESTRICTED;
}

const int pb_can_listen = 1;

static int make_self(void)
{
	int error = 0;

	if (!self)
		self = pb_session_alloc(sizeof(*self), &error);
	if (!self)
		return error;
	self->begun = 0;
	self->ending = 0;
	self->point.thread = 0;
	self->point.ended = 0;
	pb_control_point = &self->point;
	return 0;
}

int pb_listens(void)
{
	return self && __atomic_load_n(&self->point.version, __ATOMIC_ACQUIRE);
}

/* All sanitizers that must intercept the creation of every thread define this. */
void __sanitizer_set_report_path(const char *path) __attribute__((weak));

typedef int create_thread(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*start)(void *arg), void *arg);

/*
 * Returns the C library's pthread_create(). The program may define another
 * pthread_create(), which prepares, counts or limits the program's threads.
 */
static create_thread *find_create(void)
{
	static struct {
		create_thread *pthread_create;
	} real;

	return __sanitizer_set_report_path ? pthread_create : PB_REAL(pthread_create);
}

int pb_listen_start(int wait)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	sem_t begun;
	int error;

	error = make_self();
	if (error)
		return error;
	find_count();
	/*
	 * Block all signals, which are for the program's threads, except SIGTRAP, which the
	 * library's own breakpoints raise.
	 */
	sigfillset(&all);
	sigdelset(&all, SIGTRAP);
	error = pthread_attr_init(&attr);
	if (error)
		return -error;
	sem_init(&begun, 0, 0);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pb_stack_describe(&attr);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/*
	 * Set @started before the thread runs: another thread may install a system call
	 * filter at any time, and must end this thread first.
	 */
	__atomic_store_n(&self->started, 1, __ATOMIC_SEQ_CST);
	error = find_create()(&thread, &attr, serve, wait ? &begun : NULL);
	if (error)
		__atomic_store_n(&self->started, 0, __ATOMIC_SEQ_CST);
	else
		leave_count();
	if (!error && wait)
		while (sem_wait(&begun) && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sem_destroy(&begun);
	pthread_attr_destroy(&attr);
	return -error;
}
