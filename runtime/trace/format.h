/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The data file that a traced process writes and `patchbay report` reads.
 *
 * Overview
 * --------
 * `patchbay record` names a directory; every process that is traced writes one
 * file PID.pbd in it (PID.N.pbd for the Nth image that one process id ran).
 * A file is a header and a sequence of chunks. The writer keeps the whole file
 * mapped shared, and advances `committed` only over chunks that are complete;
 * so after SIGKILL the kernel still holds every committed chunk, and a reader
 * that stops at `committed` never sees a half-written one. Counters inside a
 * committed chunk go on changing while the process runs.
 *
 * Numbers are of the traced machine's byte order; `byte_order` tells. Every
 * chunk begins at a multiple of 8 bytes. A reader skips kinds it does not know
 * and refuses another version.
 */
#ifndef PATCHBAY_TRACE_FORMAT_H
#define PATCHBAY_TRACE_FORMAT_H

#include <stdint.h>

#define PBD_MAGIC "PBAYDATA" /* 8 bytes, no terminator */
#define PBD_VERSION 1
#define PBD_BYTE_ORDER 0x01020304
#define PBD_SUFFIX ".pbd"
#define PBD_BUILD_ID_MAX 32

struct pbd_header {
	char magic[8];
	uint32_t byte_order;
	uint32_t version;
	uint32_t header_size; /* first chunk is here */
	uint32_t machine;     /* e_machine of the process */
	uint32_t pid;
	uint32_t error;       /* errno of the first failure to trace something,
				 0 if there was none */
	uint64_t start_ns;    /* CLOCK_REALTIME when the file was made */
	uint64_t committed;   /* bytes of the file that hold complete chunks */
};

enum pbd_kind {
	PBD_CMDLINE = 1,  /* struct pbd_cmdline */
	PBD_MODULE = 2,   /* struct pbd_module */
	PBD_COUNTERS = 3, /* struct pbd_counters */
};

struct pbd_chunk {
	uint32_t kind;
	uint32_t reserved;
	uint64_t size; /* of the chunk with this head, a multiple of 8 */
};

/* The arguments of the process, each ended by NUL. */
struct pbd_cmdline {
	struct pbd_chunk chunk;
	uint64_t length;
	char args[];
};

/* A loaded module, before the first chunk that refers to its id. */
struct pbd_module {
	struct pbd_chunk chunk;
	uint32_t id;
	uint32_t build_id_size; /* 0 if the module has none */
	uint64_t base;          /* load bias: run-time address - ELF address */
	uint8_t build_id[PBD_BUILD_ID_MAX];
	char path[];            /* absolute, ended by NUL */
};

/* Calls per function. A function may stand in several chunks: they add up. */
struct pbd_counter {
	uint64_t entry; /* ELF address of the function in its module */
	uint64_t calls;
};

struct pbd_counters {
	struct pbd_chunk chunk;
	uint32_t module;
	uint32_t nr;
	struct pbd_counter counter[];
};

#endif /* PATCHBAY_TRACE_FORMAT_H */
