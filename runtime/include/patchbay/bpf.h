/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libpatchbay-bpf: links (link.h) that run BPF programs.
 *
 * A program comes from an ELF object that `clang -target bpf` makes from the same
 * C as for the kernel. The library verifies each program before it may run. It refuses
 * a program that could harm the process, and names the instruction and the reason.
 *
 * Usage
 * -----
 *	#include <linux/bpf.h>
 *	#include <bpf/bpf_helpers.h>
 *
 *	struct {
 *		__uint(type, BPF_MAP_TYPE_HASH);
 *		__uint(max_entries, 1024);
 *		__type(key, __u64);
 *		__type(value, __u64);
 *	} calls SEC(".maps");
 *
 *	SEC("fentry.multi/lua_*")
 *	int on_entry(__u64 *ctx)
 *	{
 *		__u64 ip = bpf_get_func_ip(ctx), one = 1;
 *		__u64 *count = bpf_map_lookup_elem(&calls, &ip);
 *
 *		if (count)
 *			__sync_fetch_and_add(count, 1);
 *		else
 *			bpf_map_update_elem(&calls, &ip, &one, BPF_ANY);
 *		return 0;
 *	}
 *
 *	clang -target bpf -O2 -g -c calls.bpf.c
 *
 * (on Debian and its derivatives, which keep <asm/types.h> in a folder of the
 * architecture, add -I/usr/include/$(uname -m)-linux-gnu)
 *
 * and in the process that has these functions
 *
 *	error = patchbay_bpf_open("calls.bpf.o", &opts, &object);
 *	nr = patchbay_bpf_attach_all(object, &link_opts);
 *	...
 *	patchbay_bpf_map_for_each(patchbay_bpf_find_map(object, "calls"),
 *				  print, NULL);
 *	patchbay_bpf_close(object);
 *
 * Link with -lpatchbay-bpf -lpatchbay-link -lpatchbay.
 *
 * Sections
 * --------
 * SEC("fentry/NAME"), SEC("fexit/NAME"), SEC("fmod_ret/NAME") are for the function
 * NAME. SEC("fentry.multi/GLOB") and so on are for all functions that match GLOB,
 * fnmatch(3). The links have the kinds PATCHBAY_FENTRY, PATCHBAY_FEXIT and
 * PATCHBAY_MODIFY_RETURN. Names are those of symbols, as nm(1) shows them, so C++
 * functions have their mangled names here: svc::parse(int) is _ZN3svc5parseEi, and
 * SEC("fentry.multi/_ZN3svc*") is for all of svc.
 *
 * The context is 64-bit words, as in the kernel: the function's arguments in integer
 * registers, in order. The word after the last argument is the result in fexit programs
 * and 0 in fmod_ret programs. The BPF_PROG() macro works. A program that reads a word is
 * refused on functions without that word. If an fmod_ret program returns 0, the
 * function runs. Otherwise the value is the function's result, and the body is not
 * called. Programs only see results in integer registers. The result is undefined for a
 * function without one, and 0 after an exception.
 *
 * Helpers
 * -------
 * bpf_map_lookup_elem, bpf_map_update_elem, bpf_map_delete_elem,
 * bpf_ringbuf_output, bpf_ringbuf_reserve, bpf_ringbuf_submit,
 * bpf_ringbuf_discard, bpf_ktime_get_ns, bpf_get_current_pid_tgid,
 * bpf_get_func_ip, bpf_get_func_arg, bpf_get_func_arg_cnt, bpf_get_func_ret,
 * bpf_get_attach_cookie, bpf_probe_read_user, bpf_probe_read_user_str.
 * bpf-helpers(7) documents them. bpf_get_func_ret() is -EOPNOTSUPP at
 * entries, after exceptions, and if the result is not in an integer register.
 * A ring buffer wakes no reader, whatever the flags are.
 *
 * Maps
 * ----
 * BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_HASH and BPF_MAP_TYPE_RINGBUF (of a power of two,
 * at least 4096 bytes), in BTF-defined form; and global variables, which are arrays
 * of one value. All memory is allocated when the object is opened. Values are not
 * replaced atomically, so a reader may see a partial update. __sync_fetch_and_add()
 * without its result is atomic. If an element is deleted while a program has its
 * address, the element goes to another key.
 *
 * Verification
 * ------------
 * The verifier checks every instruction on every path through the program. A program
 * - only reads registers and bytes of the stack that were written before;
 * - reads and writes only within its stack (512 bytes), values and records, and
 *   reads within the context;
 * - compares results of lookups and reservations with NULL first;
 * - submits or discards each record once, on all paths, one at a time;
 * - passes valid arguments to helpers;
 * - has no loop, so it ends after at most 4096 instructions.
 *
 * The verifier is simpler than the kernel's: offsets from an address must be known
 * (value->hits[3], not value->hits[n]), and the type in a register must not depend on
 * the path. A program is one function: make the functions that it calls static
 * __always_inline, and unroll loops. All instructions of RFC 9669 except those for packets
 * are allowed: clang's
 * -mcpu=v1 to v4. Programs may read the process's memory, like any code of its own,
 * through bpf_probe_read_user(), and store addresses in maps. As in the kernel, division
 * by 0 gives 0, and the remainder is the dividend.
 *
 * Only programs are verified, not the file around them: libbpf expects compiler output,
 * and may crash on a damaged or forged file.
 *
 * The virtual machine
 * -------------------
 * An interpreter, on all architectures: runtime/bpf/engine.h explains why it is not a
 * library with a compiler. An instruction takes one to two nanoseconds. The interpreter
 * needs no executable memory and no vector registers. libbpf (LGPL-2.1 or BSD-2-Clause)
 * reads objects.
 *
 * Threads and signals
 * -------------------
 * An object is for one thread at a time, with two exceptions: several threads may call
 * functions of maps, and one thread per map patchbay_bpf_ringbuf_consume(). Handlers and
 * signal handlers must not call these functions. Programs run wherever handlers do
 * (patchbay.h), on several threads at once. A thread runs one program at a time: if a
 * signal handler interrupts a program or a handler, the signal handler's calls are missed
 * and counted (struct patchbay_link_info). A program uses up to 1 KiB of its thread's stack.
 *
 * A child of fork() has copies of the maps. If another thread was in a map at
 * that moment, operations on that element fail in the child with -EBUSY.
 */
#ifndef PATCHBAY_BPF_H
#define PATCHBAY_BPF_H

#include <patchbay/link.h>

#ifdef __cplusplus
extern "C" {
#endif

struct patchbay_bpf_object;
struct patchbay_bpf_program;
struct patchbay_bpf_map;

/*
 * struct patchbay_bpf_opts - options for opening an object
 * @size:    sizeof(struct patchbay_bpf_opts); see Versions in <patchbay/patchbay.h>
 * @log:     NULL, or called for each fault with the name of the program or map (or
 *           NULL), the error and a phrase in English. Called before
 *           patchbay_bpf_open() returns
 * @log_arg: the first argument of @log
 */
struct patchbay_bpf_opts {
	size_t size;
	void (*log)(void *arg, const char *name, int error, const char *reason);
	void *log_arg;
};

#define PATCHBAY_BPF_OPTS_SIZE_VER0 16 /* up to @log */

/*
 * Reads an object, makes its maps, verifies its programs and makes them ready to run. @opts
 * may be NULL. Returns 0 and the object in *@object, or
 * -EINVAL:  a size of @opts less than PATCHBAY_BPF_OPTS_SIZE_VER0; not an ELF object of
 *           BPF; a map without BTF or with invalid sizes; an unknown section; a
 *           symbol that is not in the object
 * -E2BIG:   a program of more than 4096 instructions
 * -EACCES:  the verifier refused a program
 * -ENOTSUP: an unsupported type of map
 * -ENOENT:  the object has no program
 * -ENOMEM, or an error of opening or reading the file.
 */
int patchbay_bpf_open(const char *path, const struct patchbay_bpf_opts *opts,
		      struct patchbay_bpf_object **object);

/* Like patchbay_bpf_open(), with an object in memory, which may be freed afterwards. */
int patchbay_bpf_open_mem(const void *bytes, size_t size,
			  const struct patchbay_bpf_opts *opts,
			  struct patchbay_bpf_object **object);

/*
 * Detaches all programs and frees everything, also maps. NULL is allowed and does
 * nothing. Errors are those of patchbay_link_detach(): then all maps and programs still
 * exist, and some programs may be detached.
 */
int patchbay_bpf_close(struct patchbay_bpf_object *object);

/* Returns the program after @program in the object, or the first if @program is NULL. */
struct patchbay_bpf_program *
patchbay_bpf_next_program(const struct patchbay_bpf_object *object,
			  const struct patchbay_bpf_program *program);
struct patchbay_bpf_program *
patchbay_bpf_find_program(const struct patchbay_bpf_object *object,
			  const char *name);
const char *
patchbay_bpf_program_name(const struct patchbay_bpf_program *program);

/* Returns, for example, "fexit.multi/lua_*". */
const char *
patchbay_bpf_program_section(const struct patchbay_bpf_program *program);

/*
 * Attaches a program to the functions that @opts->filter selects. If the filter or @opts
 * is NULL, attaches the program to the functions that its section names.
 * bpf_get_attach_cookie() returns the cookies. Returns the result of
 * patchbay_link_attach(), -EALREADY if the program is attached, or -ENOMEM. If
 * patchbay_bpf_link() is not NULL after an error, the program still has a link and has to
 * be detached.
 */
int patchbay_bpf_attach(struct patchbay_bpf_program *program,
			const struct patchbay_link_opts *opts);

/*
 * Attaches all programs to the functions of their sections, or attaches none. @opts
 * as above, without a filter (-EINVAL). Returns the number of functions; a function with
 * several programs counts several times.
 */
int patchbay_bpf_attach_all(struct patchbay_bpf_object *object,
			    const struct patchbay_link_opts *opts);

/* Like patchbay_link_detach(). */
int patchbay_bpf_detach(struct patchbay_bpf_program *program);

/*
 * Returns the program's link, only for patchbay_link_get_info(), or NULL if the program is
 * not attached.
 */
struct patchbay_link *
patchbay_bpf_link(const struct patchbay_bpf_program *program);

/*
 * Like the functions for programs above. The map of global variables has their section's
 * name.
 */
struct patchbay_bpf_map *
patchbay_bpf_next_map(const struct patchbay_bpf_object *object,
		      const struct patchbay_bpf_map *map);
struct patchbay_bpf_map *
patchbay_bpf_find_map(const struct patchbay_bpf_object *object,
		      const char *name);

/*
 * struct patchbay_bpf_map_info - the declaration of a map
 * @size: sizeof(struct patchbay_bpf_map_info), set by the caller
 * @type: of enum bpf_map_type
 */
struct patchbay_bpf_map_info {
	size_t size;
	const char *name;
	unsigned int type;
	unsigned int key_size, value_size, max_entries;
};

#define PATCHBAY_BPF_MAP_INFO_SIZE_VER0 24 /* up to @key_size */

/* -EINVAL: a size less than PATCHBAY_BPF_MAP_INFO_SIZE_VER0. */
int patchbay_bpf_map_get_info(const struct patchbay_bpf_map *map,
			      struct patchbay_bpf_map_info *info);

/*
 * Lookup copies the value of @key to @value. Update sets the value of @key to @value
 * (@flags: BPF_ANY, BPF_NOEXIST, BPF_EXIST). Delete removes the element. All return 0,
 * -ENOENT, -EEXIST, -E2BIG (the map is full, or an array has no such index), -EINVAL
 * (deletion from an array; unknown flags; a ring buffer; a write to a constant
 * value), -EBUSY (a lookup returns -ENOENT instead).
 */
int patchbay_bpf_map_lookup(struct patchbay_bpf_map *map, const void *key,
			    void *value);
int patchbay_bpf_map_update(struct patchbay_bpf_map *map, const void *key,
			    const void *value, uint64_t flags);
int patchbay_bpf_map_delete(struct patchbay_bpf_map *map, const void *key);

/*
 * Calls @function with copies of each key and its value, until it returns nonzero.
 * Elements that are added or deleted during the call may be included or not. Returns
 * the last result of @function, 0 if there is no element, -EINVAL for a ring buffer, or
 * -ENOMEM.
 */
int patchbay_bpf_map_for_each(struct patchbay_bpf_map *map,
			      int (*function)(void *arg, const void *key,
					      const void *value),
			      void *arg);

/*
 * Calls @function for each record in the ring, the oldest first, until it returns
 * nonzero; that record is consumed, too. @data is valid until @function returns, and
 * aligned to 8 bytes. Never waits. Returns the number of records, or a nonzero result of
 * @function, or -EINVAL if the map is not a ring buffer.
 */
int patchbay_bpf_ringbuf_consume(struct patchbay_bpf_map *map,
				 int (*function)(void *arg, const void *data,
						 size_t size),
				 void *arg);

/*
 * Returns a phrase in English for an error of these functions. Never NULL, and never
 * to be freed. Async-signal-safe.
 */
const char *patchbay_bpf_strerror(int error);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_BPF_H */
