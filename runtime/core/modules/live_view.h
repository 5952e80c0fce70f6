/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The data of this process that other processes read. `patchbay list --live` finds struct
 * pb_live by a note and reads it through /proc/PID/mem, as a debugger does, while this
 * process runs.
 *
 * The library changes these data under the engine lock only. Each lock and unlock increments
 * the generation, which is odd while the lock is held. A reader has consistent data if the
 * generation was the same even number before and after reading.
 */
#pragma once

#include "system/stats.h"
#include "types/module.h"
#include "types/set.h"
#include "types/shared_cells.h"

/* The version of all data that struct pb_live leads to. Tools refuse any other version. */
#define PB_LIVE_VERSION 13

/* Tools also refuse another layout, in case a structure was changed without a new version. */
#define PB_LIVE_LAYOUT                                                         \
	(sizeof(struct patchbay_cell) | sizeof(struct pb_set) << 8 |           \
	 offsetof(struct pb_module, desc) << 16 |                              \
	 offsetof(struct pb_module, records) << 24 |                           \
	 offsetof(struct pb_module, low) << 32 |                               \
	 offsetof(struct pb_module, info) << 40 |                              \
	 offsetof(struct pb_module, path) << 48 |                              \
	 (uint64_t)sizeof(struct pb_stats) << 56)

_Static_assert(offsetof(struct pb_module, path) < 256, "a byte has no room for it");

#define PB_LIVE_SHARED_LAYOUT                                                  \
	(offsetof(struct pb_module, shared) |                                  \
	 offsetof(struct pb_shared, cells) << 8 |                              \
	 offsetof(struct pb_shared, own) << 16 |                               \
	 (uint64_t)offsetof(struct pb_shared_cell, shape) << 32 |              \
	 (uint64_t)offsetof(struct pb_other, path) << 40 |                     \
	 (uint64_t)offsetof(struct pb_shared, owners) << 48)

/*
 * @size:   sizeof(struct pb_live)
 * @layout: PB_LIVE_LAYOUT
 * @shared_layout: PB_LIVE_SHARED_LAYOUT
 */
struct pb_live {
	uint64_t size;
	uint64_t layout, shared_layout;
	const uint64_t *generation;
	struct pb_module *const *modules;
	struct pb_other *const *others;
	const struct pb_stats *stats;
};

extern const struct pb_live pb_live __attribute__((visibility("hidden")));

/*
 * The contents of the note of type PATCHBAY_NOTE_RUNTIME: PB_LIVE_VERSION, which always comes
 * first, and the location of pb_live.
 */
struct pb_live_note {
	uint32_t version;
	int32_t live; /* relative to this field */
};
