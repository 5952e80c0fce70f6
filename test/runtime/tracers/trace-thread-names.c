/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each thread is shown with its last name: ended threads, running threads, and the main
 * thread. Any thread may have set the name, and any data may be recorded.
 *
 * RUN: rm -rf %t && mkdir %t
 * RUN: %build %s -o %t/prog %link
 * DEFINE: %{names} = %python %S/../Inputs/thread-names.py %patchbay
 *
 * RUN: cd %t && %patchbay record -t function_duration -o events -- ./prog
 * RUN: %{names} %t/events ended follows is-named lasts-x the-main
 * RUN: cd %t && %patchbay record -t function -o entries -- ./prog
 * RUN: %{names} %t/entries ended follows is-named lasts-x the-main
 * RUN: cd %t && %patchbay record --histogram -o counts -- ./prog
 * RUN: %{names} %t/counts ended follows is-named lasts-x the-main
 * With --overwrite, a new thread continues in the block of an ended thread.
 * RUN: cd %t && %patchbay record -t function_duration --overwrite --buffer 64K -o over -- ./prog
 * RUN: %{names} %t/over ended follows is-named lasts-x the-main
 *
 * The thread of a running process is renamed before the end, or before a snapshot.
 * DEFINE: %{running} = %python %S/../Inputs/while-running.py
 * RUN: cd %t && %{running} ./prog stay -- sh -c '%patchbay record -p PID -t function_duration -o visit -- sh -c "sleep 0.3; kill -USR1 PID; sleep 0.3"'
 * RUN: %{names} %t/visit renamed
 * RUN: cd %t && mkdir out && %{running} env LD_PRELOAD=%patchbay_lib/libpatchbay-live.so PATCHBAY=tracer=function_duration,filter=stays,output=out,live=1 ./prog stay -- sh -c 'kill -USR1 PID; sleep 0.1; %patchbay live -p PID --snapshot copy'
 * RUN: %{names} %t/copy renamed
 *
 * A forked child's thread continues its parent's, and has its own name.
 * RUN: cd %t && %patchbay record -t function_duration -o forks -- ./prog forks
 * RUN: %{names} %t/forks of-child of-parent
 * RUN: cd %t && %patchbay record --histogram -o counted -- ./prog forks
 * RUN: %{names} %t/counted of-child of-parent
 *
 * --thread selects by the name that the thread has when it makes a call.
 * RUN: cd %t && %patchbay record -t function_duration --thread prog -o chosen -- ./prog 2>&1 | FileCheck %s --check-prefix=CHOSEN --allow-empty
 * CHOSEN-NOT: no thread
 */
#include "../Inputs/check.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t worked, named;

OPAQUE int works(int which)
{
	return which + 1;
}

OPAQUE void stays(void)
{
	usleep(2000);
}

/* Not traced: a thread makes its only traced call before it gets its name. */
static __attribute__((annotate("patchbay::never"))) void *run(void *arg)
{
	const int which = (int)(long)arg;

	works(which);
	if (which == 1)
		pthread_setname_np(pthread_self(), "ended");
	if (which == 4)
		pthread_setname_np(pthread_self(), "follows");
	if (which == 1 || which == 4)
		return NULL;
	sem_post(&worked);
	sem_wait(&named);
	if (which == 2)
		return NULL;
	for (;;)
		pause();
}

static void rename_all(int signal)
{
	(void)signal;
	pthread_setname_np(pthread_self(), "renamed");
}

static int forks(void)
{
	pid_t pid;
	int status;

	works(0);
	pid = fork();
	CHECK(pid >= 0);
	works(0);
	CHECK(!pthread_setname_np(pthread_self(), pid ? "of-parent" : "of-child"));
	return pid && (waitpid(pid, &status, 0) != pid || status);
}

int main(int argc, char **argv)
{
	pthread_t thread[5];

	if (argc > 1 && !strcmp(argv[1], "forks"))
		return forks();
	if (argc > 1) {
		signal(SIGUSR1, rename_all);
		for (int i = 0;; i++) {
			stays();
			if (i == 5) {
				puts("ready");
				fflush(stdout);
			}
		}
	}
	sem_init(&worked, 0, 0);
	sem_init(&named, 0, 0);
	works(0);
	CHECK(!pthread_create(&thread[1], NULL, run, (void *)1));
	CHECK(!pthread_join(thread[1], NULL));
	CHECK(!pthread_create(&thread[4], NULL, run, (void *)4));
	CHECK(!pthread_join(thread[4], NULL));
	for (long i = 2; i <= 3; i++) {
		CHECK(!pthread_create(&thread[i], NULL, run, (void *)i));
		sem_wait(&worked);
	}
	/* The main thread names the other threads and itself. */
	CHECK(!pthread_setname_np(thread[2], "is-named"));
	CHECK(!pthread_setname_np(thread[3], "lasts-x"));
	CHECK(!pthread_setname_np(pthread_self(), "the-main"));
	sem_post(&named);
	sem_post(&named);
	CHECK(!pthread_join(thread[2], NULL));
	return 0;
}
