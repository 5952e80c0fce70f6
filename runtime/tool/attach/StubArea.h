/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The memory that the process maps for the code in Stub.h, as offsets, for assembly,
 * too. It is zeros at first.
 */
#ifndef PATCHBAY_TOOL_ATTACH_STUBAREA_H
#define PATCHBAY_TOOL_ATTACH_STUBAREA_H

/* Written by the thread that was stopped. */
#define AREA_BEGUN 0    /* 8 bytes: the mark, when signals are blocked */
#define AREA_DONE 8     /* 8 bytes: the mark, when there is a thread, or none */
#define AREA_CREATED 16 /* 4 bytes: what pthread_create() returned */
#define AREA_SIGNALS 24 /* 8 bytes: those that were blocked before */
#define AREA_TICKS 40   /* 8 bytes: the processor's counter, at the end */
#define AREA_THREAD 32  /* pthread_t */

/* Written by this command; both: by the new thread, too. */
#define AREA_GO 48        /* 4 bytes: 1: what is below is there; 2: too late */
#define AREA_GIVEN_UP 52  /* 4 bytes: 1: what is loaded is not wanted any more */
#define AREA_END 56       /* 4 bytes: 1: nobody needs the area any more */

/* Written by the new thread. */
#define AREA_NEW_TID 60 /* 4 bytes */
#define AREA_STATE 64   /* 4 bytes: AREA_IS_* */
#define AREA_RESULT 68  /* 4 bytes: what the entry returned */

/* Files of the new thread alone, which this command fills in (memfd_create(2)). */
#define AREA_NR_FILES 72   /* 4 bytes, written before AREA_GO: how many */
#define AREA_FILES_MADE 76 /* 4 bytes: 1: they are there */
#define AREA_FILLED 80     /* 4 bytes, by this command: 1: and complete */
#define AREA_FILES 88      /* 4 bytes each: a descriptor, or -errno */
#define AREA_FILES_MAX 8

#define AREA_IS_LOADED 1 /* and the entry was called */
#define AREA_IS_REFUSED 2 /* what the loader says is the text */
#define AREA_IS_CLOSED 3 /* it came too late, and nothing was called */

#define AREA_ENTRY 128 /* name of the function that is called */
#define AREA_TEXT 256 /* what is wrong, in words */
#define AREA_TEXT_SIZE 1024
#define AREA_PATHS 4096 /* strings, the last of which is empty */
#define AREA_PATHS_SIZE 20480
#define AREA_OPTIONS 24576 /* a string */
#define AREA_OPTIONS_SIZE 131072
#define AREA_VECTORS 155648 /* a multiple of 64, and the rest of it for these */
#define AREA_VECTORS_SIZE 40960
#define AREA_STACK_TOP 262144
#define AREA_SIZE 262144

#endif
