/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer arch/: the port to each architecture. change/ calls it under the change lock.
 * Functions that write text also need the engine lock. Trampolines take no lock.
 *
 * This header is the core's interface to an architecture: everything that a port provides.
 *
 * To add an architecture, make arch/<name>/. <name> is CMake's CMAKE_SYSTEM_PROCESSOR in
 * lower case. Add these files:
 *   1. insn.h   encoders and decoders: pure functions, tested on every host (test/unit).
 *   2. patch.c  the functions below. At each store, name the rule of the architecture manual
 *               that lets other threads execute the text during the write. mapped_reach.c and,
 *               if sites need sequences, sequences.c already have some of the functions.
 *   3. entry.S  the functions named below, and the trampolines. A trampoline
 *               - marks the thread as inside in its reader, if it has one (struct
 *                 pb_reader), with the address of its frame (struct pb_frame_mark in
 *                 handler_frame.h);
 *               - loads the cell from the slot, and cell->enter with acquire semantics;
 *               - calls cell->enter with (ip, parent_ip, cell, regs);
 *               - marks the thread as outside with release semantics;
 *               - restores all registers that may hold an argument;
 *               - returns to the site.
 *               A trampoline uses initial-exec thread-local storage, which needs no call,
 *               and describes each step to unwinders.
 *   4. exit.S   calls of a function's body for its exit handlers (call.h), by a macro
 *               call_body:
 *                 \name     the function: cells enter it by cell->enter
 *                 \members  0: calls cell->func and cell->exit, which are FAST handlers of
 *                           a simple function; 1: calls any handlers, by call.c
 *                 \vectors  handlers may use vector registers
 *                 \set      the handlers are in cell->set, not in the cell itself
 *                 \any      with \set and without \vectors: the function to jump to if
 *                           the handlers of the cell's set may use vector registers
 *               To unwinders (on ppc64le also by the back chain), the caller must seem to
 *               have called this function. Unwinders must skip the frames of the site and
 *               of the trampoline, because the tables of C++ functions say that no
 *               exception comes from the site.
 *      entry.h and offsets.h have the structure offsets that exit.S and entry.S use;
 *      offsets.c checks them.
 *   5. static_call.c, tramp.h  static calls (static_call.h).
 *
 * Then add struct patchbay_regs and its functions in regs.h, compiler flags in
 * CMakeLists.txt, the code under #if in test/runtime/, and
 * test/runtime/system-<name>.test. The hardening flags of programs must work in the
 * library, too. The library must not use registers that a platform reserves.
 */
#pragma once

#include "system/text.h"
#include "types/set.h"

struct pb_module;

/* A site. @reach: the result of pb_arch_reach(). */
struct pb_site {
	uintptr_t entry;
	uintptr_t site;
	const void *reach;
	const struct patchbay_record *record;
};

extern const size_t pb_arch_site_size;

/* The size of a module's struct patchbay_links, in bytes, with the tables that follow it. */
size_t pb_arch_links_size(const struct patchbay_module *desc);

/* May the library write code back unchanged (text.h) while other threads execute it? */
extern const int pb_arch_rewrite;

enum pb_site_state { PB_SITE_DISARMED, PB_SITE_ARMED };

/*
 * The state of a site, from its bytes. -ENOEXEC: there is no pad before the entry, and so no
 * slot. -EILSEQ: neither the compiler nor this library has written these bytes.
 */
int pb_arch_site_state(const struct pb_site *site);

static inline uintptr_t pb_arch_slot(uintptr_t entry)
{
	return *(const volatile uintptr_t *)(entry + (uintptr_t)PATCHBAY_SLOT_OFFSET);
}

/*
 * The steps from disarmed to armed, with a pb_sync_core() before the last one:
 *
 * pb_arch_prepare()  does all that can fail: finds or creates a path from the site to a
 *                    trampoline, which no thread can see yet
 * pb_arch_publish()  writes the slot, and code that the site will branch to: no thread uses
 *                    these while the site is disarmed. Returns the number of patches, at
 *                    most PB_PUBLISH_MAX; 0 if nothing has to be written
 * pb_arch_open()     once for each module: connects the path to the trampolines
 * pb_arch_flip()     the single store that makes the site a branch, or undoes that
 *
 * pb_arch_publish() and pb_arch_flip() only fill in @patch. pb_arch_open() writes through
 * @text, a handle of pb_text_open(), under the engine lock. It returns the result of
 * pb_text_apply().
 *
 * pb_arch_prepare() returns -ERANGE if all addresses in reach of the site are text, so that no
 * code can be mapped there. It also returns -ENOMEM, and errors of pb_os_map_code().
 */
#define PB_PUBLISH_MAX 6
int pb_arch_prepare(const struct pb_site *site);
int pb_arch_publish(const struct pb_site *site, uintptr_t cell,
		    struct pb_patch patch[PB_PUBLISH_MAX]);
void pb_arch_flip(const struct pb_site *site, int arm, struct pb_patch *patch);

/* The patch of pb_arch_publish() for the slot. Returns 0 if the slot has the value *@cell. */
static inline int pb_arch_publish_slot(const struct pb_site *site, const uintptr_t *cell,
				       struct pb_patch *patch)
{
	const uintptr_t slot = pb_arch_slot(site->entry);

	return pb_patch_fill(patch, site->entry + (uintptr_t)PATCHBAY_SLOT_OFFSET, &slot,
			     cell, sizeof(slot));
}

/* Call this first, under the change lock. May be called again. */
void pb_arch_init(void);

/*
 * pb_arch_map_reach() prepares a path from the sites of @module to the trampolines. It
 * returns an object that describes the code near the sites, which is mapped now or later. If
 * the compiler has made the path, it returns NULL and *@error is 0. On failure it returns NULL
 * and *@error is negative. pb_arch_reach() returns the value of pb_site.reach for one site,
 * which never changes once pb_arch_map_reach() has succeeded. Before that, pb_arch_reach() may
 * be called only while no site of the module is armed. Call these three functions and
 * pb_arch_prepare() under the change lock and not under the engine lock.
 */
void *pb_arch_map_reach(const struct pb_module *module, int *error);
void pb_arch_unmap_reach(void *reach);
const void *pb_arch_reach(const struct pb_module *module,
			  const struct patchbay_record *record);
int pb_arch_open(const struct pb_module *module, int text);

/*
 * cell->enter of a cell with a handler that may use vector registers: saves the vector
 * registers that may hold arguments, and calls cell->func.
 */
pb_handler pb_arch_enter_any;

/* cell->enter of a cell with a set: like pb_arch_enter_any(), but calls pb_set_call(). */
pb_handler pb_arch_enter_set;

/*
 * The trampolines call this, with vector registers saved, if the thread is inside or has no
 * reader. Returns 0 if the call is done. Returns 1 if no handler was called, and the thread is
 * outside and has a reader now: the trampoline tries again. (Only for functions with exits.)
 */
int pb_enter_slowly(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *const *slot,
		     struct patchbay_regs *regs);
