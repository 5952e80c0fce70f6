/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Offsets in the area, the memory that the stub maps (Stub.h), for C++ and assembly. The
 * memory is zeroed at first.
 */
#pragma once

/* The stopped thread writes these. */
#define AREA_BEGUN 0    /* 8 bytes: the mark, once signals are blocked */
#define AREA_DONE 8     /* 8 bytes: the mark, after pthread_create() has succeeded or
                           failed */
#define AREA_CREATED 16 /* 4 bytes: result of pthread_create() */
#define AREA_COUNTER 20 /* 4 bytes, x86-64: result of PR_GET_TSC. With PR_TSC_SIGSEGV, the
                           stub creates no thread. The borrowed thread then waits for
                           AREA_GIVEN_UP for a limited time, so that this command can
                           read the reason */
#define AREA_SIGNALS 24 /* 8 bytes: the previously blocked signals */
#define AREA_TICKS 40   /* 8 bytes: the processor's counter, at the end */
#define AREA_THREAD 32  /* pthread_t */

/* This command writes these. The new thread also writes AREA_GO. */
#define AREA_GO 48        /* 4 bytes: 1: the data below is complete; 2: too late */
#define AREA_GIVEN_UP 52  /* 4 bytes: 1: the libraries are no longer wanted */
#define AREA_END 56       /* 4 bytes: 1: the area is no longer needed */
#define AREA_PAUSES 84    /* 4 bytes: the number of pauses that the new thread
                             will still make */

/* The new thread writes these. */
#define AREA_NEW_TID 60 /* 4 bytes */
#define AREA_STATE 64   /* 4 bytes: AREA_IS_* */
#define AREA_RESULT 68  /* 4 bytes: result of the entry */

/* Files that the new thread creates (memfd_create(2)) and this command fills. */
#define AREA_NR_FILES 72   /* 4 bytes: number of files, written before AREA_GO */
#define AREA_FILES_MADE 76 /* 4 bytes: 1: the files exist */
#define AREA_FILLED 80     /* 4 bytes: 1: the files are filled */
#define AREA_FILES 88      /* 4 bytes each: a descriptor, or -errno */
#define AREA_FILES_MAX 8

#define AREA_IS_LOADED 1 /* the libraries are loaded, and the entry was
                            called */
#define AREA_IS_REFUSED 2 /* AREA_TEXT has the loader's message */
#define AREA_IS_CLOSED 3 /* AREA_GIVEN_UP was set, so the entry was not called */

#define AREA_ENTRY 128 /* name of the entry */
#define AREA_TEXT 256 /* an error message */
#define AREA_TEXT_SIZE 1024
#define AREA_PATHS 4096 /* path strings, then an empty string */
#define AREA_PATHS_SIZE 20480
#define AREA_OPTIONS 24576 /* a string */
#define AREA_OPTIONS_SIZE 131072
#define AREA_VECTORS 155648 /* a multiple of 64, as XSAVE requires */
#define AREA_VECTORS_SIZE 40960
#define AREA_STACK_TOP 262144
#define AREA_SIZE 262144
