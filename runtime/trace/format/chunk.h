/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The header of a data file, and the head of each chunk. format.h contains the overview. */
#ifndef PATCHBAY_TRACE_CHUNK_H
#define PATCHBAY_TRACE_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#define PBD_MAGIC "PBAYDATA" /* 8 bytes, no terminator */
#define PBD_VERSION 3 /* 2: without struct pbd_text; 1: without struct pbd_parent */
#define PBD_VERSION_MIN 1 /* the oldest version that readers accept */
#define PBD_BYTE_ORDER 0x01020304
#define PBD_SUFFIX ".pbd"

/*
 * The file with the command line of `patchbay record`. Notes follow, each after a NUL. The
 * runtime adds PBD_NOTE_UNTRACED and the path of a program that it cannot trace.
 */
#define PBD_COMMAND_FILE ".command"
#define PBD_NOTE_UNTRACED "untraced "
#define PBD_NEW_SUFFIX ".pbd.new" /* a temporary name: the header may be missing */
/* A spare file (spare_files.h) is unused until it has a header. */
#define PBD_SPARE_SUFFIX ".spare.pbd"
/* Options of a recording that are too long for the environment (selection.h). */
#define PBD_SELECTION_SUFFIX ".selection"
#define PBD_SELECTION_MAGIC "PBAYSEL1"
#define PBD_BUILD_ID_MAX 32

struct pbd_header {
	char magic[8];
	uint32_t byte_order;
	uint32_t version;
	uint32_t header_size; /* offset of the first chunk */
	uint32_t machine;     /* e_machine of the process */
	uint32_t pid;
	uint32_t error;       /* errno of the first failure to trace something; 0: no failure;
			         ETIME: the listening thread did not end, see listen.h */
	uint64_t start_ns;    /* CLOCK_REALTIME when the file was made */
	uint64_t committed;   /* bytes of the file that contain complete chunks */
	uint64_t left_out;    /* number of functions in chunks of struct pbd_left_out; absent
				 from a header of PBD_HEADER_MIN */
	uint64_t blocks;      /* offset of struct pbd_blocks, ignored until that chunk is
			         committed; 0: none. Absent from headers of older writers */
	uint64_t recording;  /* the number of the recording, equal in all its files; 0: unknown.
			        Absent from headers of older writers */
};
#define PBD_HEADER_MIN offsetof(struct pbd_header, left_out)
#define PBD_HEADER_BLOCKS offsetof(struct pbd_header, recording) /* ends with @blocks */

enum pbd_kind {
	PBD_CMDLINE = 1,  /* struct pbd_cmdline */
	PBD_MODULE = 2,   /* struct pbd_module */
	PBD_COUNTERS = 3, /* struct pbd_counters */
	PBD_SESSION = 4,  /* struct pbd_session */
	PBD_FUNCTIONS = 5, /* struct pbd_functions */
	PBD_BLOCK = 6,    /* struct pbd_block */
	PBD_HISTOGRAMS = 7, /* struct pbd_histograms */
	PBD_LEFT_OUT = 8, /* struct pbd_left_out */
	PBD_LOSSES = 9,   /* struct pbd_losses */
	PBD_SPARE = 10,   /* unused; later replaced by another kind */
	PBD_ASKED = 11,   /* struct pbd_asked */
	PBD_PARENT = 12,  /* struct pbd_parent */
	PBD_TEXT = 13,    /* struct pbd_text */
	PBD_INDEX = 14,   /* struct pbd_index */
	PBD_BLOCKS = 15,  /* struct pbd_blocks */
	PBD_OTHER = 16,   /* struct pbd_other */
	PBD_SAMPLES = 17, /* struct pbd_samples */
	PBD_WHY = 20,     /* struct pbd_why */
	PBD_SLOW = 21,    /* struct pbd_slow */
	PBD_MAPS = 22,    /* struct pbd_maps */
	PBD_PLACE = 23,   /* struct pbd_place */
	PBD_NAMES = 24,   /* struct pbd_names */
	PBD_ARGUMENTS = 32, /* struct pbd_arguments */
};

struct pbd_chunk {
	uint32_t kind;
	uint32_t reserved;
	uint64_t size; /* size of the chunk including this head, a multiple of 8 */
};

#endif /* PATCHBAY_TRACE_CHUNK_H */
