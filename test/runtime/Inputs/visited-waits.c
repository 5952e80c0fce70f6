/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * visited-waits WHERE: the only thread calls a traced function, prints a line, and
 * waits in one function of the C library: for ever or for standard input.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <wchar.h>

__attribute__((noinline)) int counted(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static char much[1 << 20]; /* larger than a stream's buffer */
static sem_t never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

/*
 * Returns a socket with timeouts for receiving and sending, with which a stop could
 * cause EINTR.
 */
static int limited(int socket)
{
	const struct timeval limit = { .tv_sec = 1000 };

	setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	return socket;
}

static int wait_for_socket(const char *where)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	struct msghdr message = { 0 };
	socklen_t size = sizeof(any);
	int server, sockets[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	limited(sockets[0]);
	if (!strcmp(where, "recv"))
		return recv(sockets[0], much, sizeof(much), 0) < 0;
	if (!strcmp(where, "recvmsg"))
		return recvmsg(sockets[0], &message, 0) < 0;
	if (!strcmp(where, "read"))
		return read(sockets[0], much, sizeof(much)) < 0;
	if (!strcmp(where, "send"))
		while (send(sockets[0], much, sizeof(much), 0) > 0)
			;
	if (!strcmp(where, "write"))
		while (write(sockets[0], much, sizeof(much)) > 0)
			;
	server = limited(socket(AF_UNIX, SOCK_STREAM, 0));
	/* The kernel chooses the address. */
	bind(server, (struct sockaddr *)&any, sizeof(any.sun_family));
	listen(server, 0);
	if (!strcmp(where, "accept"))
		return accept(server, NULL, NULL) < 0;
	getsockname(server, (struct sockaddr *)&any, &size);
	if (!strcmp(where, "connect"))
		while (!connect(limited(socket(AF_UNIX, SOCK_STREAM, 0)),
				(struct sockaddr *)&any, size))
			;
	return 1;
}

static int wait_for_file(const char *where)
{
	struct flock all = { .l_type = F_WRLCK };
	int ends[4];

	if (!strcmp(where, "open"))
		return mkfifo("fifo", 0600) || open("fifo", O_RDONLY) < 0;
	if (!strcmp(where, "splice"))
		return pipe(ends) || pipe(ends + 2) ||
		       splice(ends[0], NULL, ends[3], NULL, 1, 0) < 0;
	/* Locks of different open files exclude each other, even in one process. */
	ends[0] = open("locked", O_RDWR | O_CREAT, 0600);
	ends[1] = open("locked", O_RDWR);
	return fcntl(ends[0], F_OFD_SETLK, &all) || fcntl(ends[1], F_OFD_SETLKW, &all);
}

static int wait_in(const char *where)
{
	struct epoll_event event;
	sigset_t signals = { 0 };
	char *line = NULL, text[64] = "";
	size_t size = 0;
	int number = 0;

	if (!strcmp(where, "sem_wait"))
		return sem_wait(&never);
	if (!strcmp(where, "pthread_mutex_lock"))
		return pthread_mutex_lock(&mutex) + pthread_mutex_lock(&mutex);
	if (!strcmp(where, "pthread_cond_wait"))
		return pthread_mutex_lock(&mutex) +
		       pthread_cond_wait(&cond, &mutex);
	if (!strcmp(where, "pthread_rwlock_wrlock"))
		return pthread_rwlock_rdlock(&rwlock) +
		       pthread_rwlock_wrlock(&rwlock);
	if (!strcmp(where, "fgets"))
		return !fgets(text, sizeof(text), stdin);
	if (!strcmp(where, "getline"))
		return getline(&line, &size, stdin) < 0;
	if (!strcmp(where, "getchar"))
		return getchar() < 0;
	if (!strcmp(where, "scanf"))
		return scanf("%d", &number) != 1;
	if (!strcmp(where, "fread"))
		return fread(text, 1, 1, stdin) != 1;
	if (!strcmp(where, "fread-much"))
		return fread(much, 1, sizeof(much), stdin) != 2;
	if (!strcmp(where, "fgetwc"))
		return fgetwc(stdin) == WEOF;
	if (!strcmp(where, "epoll_wait"))
		return epoll_wait(epoll_create1(0), &event, 1, -1) < 0;
	if (!strcmp(where, "sigwaitinfo"))
		return sigwaitinfo(&signals, NULL) < 0;
	if (!strcmp(where, "open") || !strcmp(where, "fcntl") || !strcmp(where, "splice"))
		return wait_for_file(where);
	return wait_for_socket(where);
}

int main(int argc, char **argv)
{
	sem_init(&never, 0, 0);
	if (argc != 2 || counted(1) != 2)
		return 2;
	puts("ready");
	fflush(stdout);
	/* Not a tail call, because the test needs the program's frame. */
	int result = wait_in(argv[1]);
	return counted(result) != 1;
}
