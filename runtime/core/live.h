/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What other processes may read of this one: `patchbay list --live` finds
 * struct pb_live through a note and follows it through /proc/PID/mem, as a
 * debugger would, while we go on.
 *
 * Everything that it reads is changed under the engine lock only, and every
 * taking and giving back of that counts up: the generation is odd while the
 * lock is held, and what was read while it stayed the same even number is
 * consistent.
 */
#ifndef PB_CORE_LIVE_H
#define PB_CORE_LIVE_H

#include "module.h"
#include "set.h"
#include "shared.h"
#include "stats.h"

/* Of what is reached from here; a tool that knows another one refuses. */
#define PB_LIVE_VERSION 11

/* So is a tool from before a structure changed, in case somebody forgot. */
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
	 offsetof(struct pb_shared, usual) << 24 |                             \
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
 * Descriptor of the note of type PATCHBAY_NOTE_RUNTIME: PB_LIVE_VERSION, which
 * always comes first, and where pb_live is.
 */
struct pb_live_note {
	uint32_t version;
	int32_t live; /* relative to this field */
};

#endif /* PB_CORE_LIVE_H */
