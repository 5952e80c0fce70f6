/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libpatchbay-bpf: links (link.h) whose programs are BPF.
 *
 * A program comes from an ELF object that `clang -target bpf` makes of the same
 * C as for the kernel. It is verified before it may run: one that could harm the
 * process is refused, with the instruction and the reason.
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
 * (on Debian and its like, which keep <asm/types.h> in a folder of the
 * architecture's, with -I/usr/include/$(uname -m)-linux-gnu, too)
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
 * SEC("fentry/NAME"), SEC("fexit/NAME"), SEC("fmod_ret/NAME") are for the
 * function NAME; SEC("fentry.multi/GLOB") and so on for all that match GLOB,
 * fnmatch(3). They are PATCHBAY_FENTRY, PATCHBAY_FEXIT, PATCHBAY_MODIFY_RETURN.
 * Names are those of symbols, so functions of C++ have their mangled ones here:
 * svc::parse(int) is _ZN3svc5parseEi, and SEC("fentry.multi/_ZN3svc*") is for all of
 * svc. nm(1) shows them.
 *
 * The context is 64-bit words, as in the kernel: the function's arguments in
 * integer registers, in order, and behind the last, in fexit programs, the
 * result; in fmod_ret programs 0 is there. The BPF_PROG() macro works. A program
 * that reads a word is refused on functions that do not have it. What an
 * fmod_ret program returns is the function's result, and the body is not called,
 * unless it is 0. Results in integer registers are seen; of a function that
 * returns none the word means nothing, and where an exception leaves it is 0.
 *
 * Helpers
 * -------
 * bpf_map_lookup_elem, bpf_map_update_elem, bpf_map_delete_elem,
 * bpf_ringbuf_output, bpf_ringbuf_reserve, bpf_ringbuf_submit,
 * bpf_ringbuf_discard, bpf_ktime_get_ns, bpf_get_current_pid_tgid,
 * bpf_get_func_ip, bpf_get_func_arg, bpf_get_func_arg_cnt, bpf_get_func_ret,
 * bpf_get_attach_cookie, bpf_probe_read_user, bpf_probe_read_user_str.
 * They do what bpf-helpers(7) says. bpf_get_func_ret() is -EOPNOTSUPP at
 * entries, after exceptions, and where the result is not in an integer register.
 * Nobody is woken up by a ring buffer, whatever the flags are.
 *
 * Maps
 * ----
 * BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_HASH and BPF_MAP_TYPE_RINGBUF (of a power of
 * two, at least 4096 bytes), in BTF-defined form; and global variables, which
 * are arrays of one value. All memory is allocated when the object is opened.
 * Values are not exchanged atomically, so a reader may see half of an update;
 * __sync_fetch_and_add() without its result is atomic. An element that is
 * deleted while a program has its address goes to another key.
 *
 * What is verified
 * ----------------
 * Every instruction on every way through the program: it reads registers and
 * bytes of the stack that were written before; it reads and writes within its
 * stack (512 bytes), values and records, and reads within the context; results
 * of lookups and reservations are compared with NULL first; a record is
 * submitted or discarded once, on all ways, one at a time; helpers get what they
 * expect; and there is no loop. So a program ends after at most 4096
 * instructions. Simpler than in the kernel: offsets from an address must be
 * known (value->hits[3], not value->hits[n]), and what a register holds must
 * not depend on the way to it. Programs of one function each: others are to be
 * static __always_inline, loops to be unrolled. All instructions of RFC 9669 but
 * those for packets may be used: clang's -mcpu=v1 to v4. Programs may read the
 * process's memory, as any code of its own, through bpf_probe_read_user(), and
 * store addresses in maps. A division by 0 gives 0, and its remainder is what was
 * to be divided, as in the kernel.
 *
 * Programs are verified, and the file around them is not: libbpf expects what a
 * compiler wrote, and may crash on a file that was damaged or made up.
 *
 * The virtual machine
 * -------------------
 * An interpreter, on all architectures: runtime/bpf/engine.h says why it is none of
 * the libraries that compile. It takes one to two nanoseconds for an instruction,
 * needs no memory that becomes executable, and no vector registers. libbpf (LGPL-2.1
 * or BSD-2-Clause) reads objects.
 *
 * Threads and signals
 * -------------------
 * An object is for one thread at a time; but functions of maps may be called by
 * several threads, patchbay_bpf_ringbuf_consume() by one for each map. Nothing
 * here may be called from handlers or signal handlers. Programs run wherever
 * handlers do (patchbay.h), on several threads at once. A thread is in one at a
 * time: calls that a signal handler makes which interrupts a program, or another
 * handler, are missed and counted (struct patchbay_link_info). A program takes up
 * to 1 KiB of its thread's stack.
 *
 * A child of fork() has copies of the maps. Where another thread was in a map at
 * that moment, that element's operations fail there with -EBUSY.
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
 * struct patchbay_bpf_opts - how an object is opened
 * @size:    sizeof(struct patchbay_bpf_opts); see Versions in <patchbay/patchbay.h>
 * @log:     NULL, or called with what is wrong: with the name of the program or
 *           map, or NULL, the error and a phrase in English. Called before
 *           patchbay_bpf_open() returns
 * @log_arg: its first argument
 */
struct patchbay_bpf_opts {
	size_t size;
	void (*log)(void *arg, const char *name, int error, const char *reason);
	void *log_arg;
};

#define PATCHBAY_BPF_OPTS_SIZE_VER0 16 /* up to @log */

/*
 * Read an object, make its maps, verify and compile its programs. @opts may be
 * NULL. Returns 0 and the object in *@object, or
 * -EINVAL:  @opts of a size less than PATCHBAY_BPF_OPTS_SIZE_VER0; no ELF object of BPF; a map
 *           without BTF or of impossible sizes; a section that is none of the
 *           above; a symbol that is not in the object
 * -E2BIG:   a program of more than 4096 instructions
 * -EACCES:  a program was refused by the verifier
 * -ENOTSUP: a type of map that is not supported
 * -ENOENT:  there is no program in it
 * -ENOMEM, or what opening and reading the file returned.
 */
int patchbay_bpf_open(const char *path, const struct patchbay_bpf_opts *opts,
		      struct patchbay_bpf_object **object);

/* The same with an object that is in memory, which is not needed afterwards. */
int patchbay_bpf_open_mem(const void *bytes, size_t size,
			  const struct patchbay_bpf_opts *opts,
			  struct patchbay_bpf_object **object);

/*
 * Detach what is attached, and free everything, maps too. NULL is no object, and
 * no error. Errors are those of patchbay_link_detach(): then there are still all
 * maps and programs, of which some may be detached.
 */
int patchbay_bpf_close(struct patchbay_bpf_object *object);

/* Programs in the order of the object; the first behind NULL, NULL at the end. */
struct patchbay_bpf_program *
patchbay_bpf_next_program(const struct patchbay_bpf_object *object,
			  const struct patchbay_bpf_program *program);
struct patchbay_bpf_program *
patchbay_bpf_find_program(const struct patchbay_bpf_object *object,
			  const char *name);
const char *
patchbay_bpf_program_name(const struct patchbay_bpf_program *program);

/* "fexit.multi/lua_*" */
const char *
patchbay_bpf_program_section(const struct patchbay_bpf_program *program);

/*
 * Attach a program to the functions that @opts->filter selects, or if that is
 * NULL, or @opts is, to those that its section names. Cookies are what
 * bpf_get_attach_cookie() gives. Returns what patchbay_link_attach() does (and if
 * that leaves a link after an error patchbay_bpf_link() is not NULL, and the program
 * has to be detached), or -EALREADY: it is attached, or -ENOMEM.
 */
int patchbay_bpf_attach(struct patchbay_bpf_program *program,
			const struct patchbay_link_opts *opts);

/*
 * All programs to what their sections name, or none. @opts as above, without a
 * filter (-EINVAL). Returns the number of functions, one that has several
 * programs counts several times.
 */
int patchbay_bpf_attach_all(struct patchbay_bpf_object *object,
			    const struct patchbay_link_opts *opts);

/* As patchbay_link_detach(). */
int patchbay_bpf_detach(struct patchbay_bpf_program *program);

/* For patchbay_link_get_info() alone. NULL: it is not attached. */
struct patchbay_link *
patchbay_bpf_link(const struct patchbay_bpf_program *program);

/* Maps, as programs above. Global variables have the name of their section. */
struct patchbay_bpf_map *
patchbay_bpf_next_map(const struct patchbay_bpf_object *object,
		      const struct patchbay_bpf_map *map);
struct patchbay_bpf_map *
patchbay_bpf_find_map(const struct patchbay_bpf_object *object,
		      const char *name);

/*
 * struct patchbay_bpf_map_info - a map as it was declared
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
 * Copy the value of @key, put @value there (@flags: BPF_ANY, BPF_NOEXIST,
 * BPF_EXIST), delete it. 0, or -ENOENT, -EEXIST, -E2BIG (the map is full, or an
 * array has no such index), -EINVAL (deleted from an array; unknown flags; a
 * ring buffer; a value written that is constant), -EBUSY (to look up: -ENOENT).
 */
int patchbay_bpf_map_lookup(struct patchbay_bpf_map *map, const void *key,
			    void *value);
int patchbay_bpf_map_update(struct patchbay_bpf_map *map, const void *key,
			    const void *value, uint64_t flags);
int patchbay_bpf_map_delete(struct patchbay_bpf_map *map, const void *key);

/*
 * Call @function with copies of each key and its value, as long as it returns 0.
 * What is added or deleted meanwhile may be among them or not. Returns what
 * @function returned last, 0 if there is nothing; -EINVAL: a ring buffer.
 * -ENOMEM.
 */
int patchbay_bpf_map_for_each(struct patchbay_bpf_map *map,
			      int (*function)(void *arg, const void *key,
					      const void *value),
			      void *arg);

/*
 * Call @function for each record that is there, the oldest first, as long as it
 * returns 0; the last is consumed, too. @data is valid until it returns, and at
 * a multiple of 8. Never waits. Returns the number of records, or what @function
 * returned if that was not 0; -EINVAL: no ring buffer.
 */
int patchbay_bpf_ringbuf_consume(struct patchbay_bpf_map *map,
				 int (*function)(void *arg, const void *data,
						 size_t size),
				 void *arg);

/*
 * A phrase in English for what the functions here return. Never NULL, and never
 * freed. Async-signal-safe.
 */
const char *patchbay_bpf_strerror(int error);

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_BPF_H */
