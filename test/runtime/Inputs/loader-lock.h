/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Keeps a thread in dl_iterate_phdr(). A child that is forked meanwhile has a loader
 * lock that is held for ever.
 */
#ifndef LOADER_LOCK_H
#define LOADER_LOCK_H

#include "check.h"

#include <link.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t is_in_loader, may_leave;
static pthread_t in_loader;

static int stay(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	sem_post(&is_in_loader);
	sem_wait(&may_leave);
	return 1;
}

static void *hold_the_lock(void *arg)
{
	dl_iterate_phdr(stay, NULL);
	return arg;
}

static void take_loader_lock(void)
{
	sem_init(&is_in_loader, 0, 0);
	sem_init(&may_leave, 0, 0);
	CHECK_EQ(pthread_create(&in_loader, NULL, hold_the_lock, NULL), 0);
	sem_wait(&is_in_loader);
}

static void leave_loader_lock(void)
{
	sem_post(&may_leave);
	pthread_join(in_loader, NULL);
}

#endif /* LOADER_LOCK_H */
