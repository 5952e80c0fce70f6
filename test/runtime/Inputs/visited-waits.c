/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * visited-waits WHERE: its only thread calls a function that has a site, says so, and waits
 * for ever, or until something comes on standard input, in one function of the C library.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

__attribute__((noinline)) int counted(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static sem_t never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static int wait_in(const char *where)
{
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
	if (!strcmp(where, "fgetwc"))
		return fgetwc(stdin) == WEOF;
	return 1;
}

int main(int argc, char **argv)
{
	sem_init(&never, 0, 0);
	if (argc != 2 || counted(1) != 2)
		return 2;
	puts("ready");
	fflush(stdout);
	/* Not by a jump: the frame of the program is what is looked at. */
	int result = wait_in(argv[1]);
	return counted(result) != 1;
}
