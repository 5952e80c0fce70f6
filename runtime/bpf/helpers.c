/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Helpers may run while vector registers hold arguments of a traced function. So CMakeLists.txt
 * compiles this file for general registers only.
 */
#include "helpers.h"
#include "context.h"
#include "map.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define HELPER(name)                                                           \
	static uint64_t name(uint64_t a, uint64_t b, uint64_t c, uint64_t d,   \
			     uint64_t e)

/* Names the arguments that a helper does not use. */
#define UNUSED(...) (void)(0, __VA_ARGS__)

static void *address(uint64_t value)
{
	return (void *)(uintptr_t)value;
}

static uint64_t result(int64_t value)
{
	return (uint64_t)value;
}

static unsigned int nr_args(const struct pb_bpf_context *context)
{
	return patchbay_get_func_arg_cnt(context->cell);
}

HELPER(map_lookup)
{
	UNUSED(c, d, e);
	return (uint64_t)(uintptr_t)pb_bpf_map_lookup(address(a), address(b));
}

HELPER(map_update)
{
	UNUSED(e);
	return result(pb_bpf_map_update(address(a), address(b), address(c), d));
}

HELPER(map_delete)
{
	UNUSED(c, d, e);
	return result(pb_bpf_map_delete(address(a), address(b)));
}

HELPER(ringbuf_output)
{
	UNUSED(d, e);
	return result(pb_bpf_ringbuf_output(address(a), address(b), c));
}

HELPER(ringbuf_reserve)
{
	UNUSED(c, d, e);
	return (uint64_t)(uintptr_t)pb_bpf_ringbuf_reserve(address(a), b);
}

HELPER(ringbuf_submit)
{
	UNUSED(b, c, d, e);
	pb_bpf_ringbuf_commit(address(a), 0);
	return 0;
}

HELPER(ringbuf_discard)
{
	UNUSED(b, c, d, e);
	pb_bpf_ringbuf_commit(address(a), 1);
	return 0;
}

/* Calls the vDSO, which may use vector registers (PB_BPF_VECTORS). */
HELPER(ktime_get_ns)
{
	struct timespec now;

	UNUSED(a, b, c, d, e);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

HELPER(current_pid_tgid)
{
	UNUSED(a, b, c, d, e);
	return (uint64_t)syscall(SYS_getpid) << 32 |
	       (uint32_t)syscall(SYS_gettid);
}

HELPER(func_ip)
{
	const struct pb_bpf_context *context = address(a);

	UNUSED(b, c, d, e);
	return context->ip;
}

HELPER(attach_cookie)
{
	const struct pb_bpf_context *context = address(a);

	UNUSED(b, c, d, e);
	return context->cookie;
}

HELPER(func_arg_cnt)
{
	UNUSED(b, c, d, e);
	return nr_args(address(a));
}

HELPER(func_arg)
{
	const struct pb_bpf_context *context = address(a);
	uint64_t arg = 0;
	int known = (uint32_t)b < nr_args(context);

	UNUSED(d, e);
	if (known)
		arg = patchbay_get_func_arg(context->cell, context->regs,
					    (uint32_t)b);
	pb_bpf_copy(address(c), &arg, sizeof(arg));
	return result(known ? 0 : -EINVAL);
}

HELPER(func_ret)
{
	const struct pb_bpf_context *context = address(a);
	uint64_t ret = context->result ? *context->result : 0;

	UNUSED(c, d, e);
	pb_bpf_copy(address(b), &ret, sizeof(ret));
	return result(context->result ? 0 : -EOPNOTSUPP);
}

/*
 * Read memory by a system call: for unmapped memory it returns an error, where a load would
 * kill the process.
 */
static long read_memory(void *to, uint64_t from, uint64_t size)
{
	const struct iovec local = { to, size };
	const struct iovec remote = { address(from), size };
	int saved = errno;
	/* Pass longs: the upper half of an int argument of syscall(2) is undefined. */
	long nr = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local,
			  1ul, &remote, 1ul, 0ul);

	errno = saved;
	return nr;
}

static void zero(unsigned char *bytes, uint64_t size)
{
	/* volatile: otherwise the compiler would call memset(3). */
	while (size--)
		*(volatile unsigned char *)bytes++ = 0;
}

HELPER(probe_read_user)
{
	UNUSED(d, e);
	if (read_memory(address(a), c, b) == (long)b)
		return 0;
	zero(address(a), b);
	return result(-EFAULT);
}

/* Limit @size to the end of the page, because the next page may be unmapped. */
static uint64_t up_to_page(uint64_t from, uint64_t size)
{
	uint64_t left = 4096 - (from & 4095);

	return size < left ? size : left;
}

HELPER(probe_read_user_str)
{
	unsigned char *to = address(a);
	uint64_t done = 0;

	UNUSED(d, e);
	while (done < b) {
		uint64_t size = up_to_page(c + done, b - done);

		if (read_memory(to + done, c + done, size) != (long)size) {
			zero(to, b);
			return result(-EFAULT);
		}
		for (uint64_t end = done + size; done < end; done++)
			if (!to[done])
				return done + 1;
	}
	to[b - 1] = 0;
	return b;
}

const struct pb_bpf_helper pb_bpf_helpers[] = {
	{ .id = BPF_FUNC_map_lookup_elem,
	  .args = { PB_BPF_ARG_TABLE, PB_BPF_ARG_KEY },
	  .result = PB_BPF_GIVES_VALUE,
	  .function = map_lookup },
	{ .id = BPF_FUNC_map_update_elem,
	  .args = { PB_BPF_ARG_WRITABLE, PB_BPF_ARG_KEY, PB_BPF_ARG_VALUE,
		    PB_BPF_ARG_ANY },
	  .function = map_update },
	{ .id = BPF_FUNC_map_delete_elem,
	  .args = { PB_BPF_ARG_WRITABLE, PB_BPF_ARG_KEY },
	  .function = map_delete },
	{ .id = BPF_FUNC_ringbuf_output,
	  .args = { PB_BPF_ARG_RING, PB_BPF_ARG_IN, PB_BPF_ARG_SIZE,
		    PB_BPF_ARG_ANY },
	  .function = ringbuf_output },
	{ .id = BPF_FUNC_ringbuf_reserve,
	  .args = { PB_BPF_ARG_RING, PB_BPF_ARG_SIZE, PB_BPF_ARG_ANY },
	  .result = PB_BPF_GIVES_RECORD,
	  .function = ringbuf_reserve },
	{ .id = BPF_FUNC_ringbuf_submit,
	  .args = { PB_BPF_ARG_RECORD, PB_BPF_ARG_ANY },
	  .function = ringbuf_submit },
	{ .id = BPF_FUNC_ringbuf_discard,
	  .args = { PB_BPF_ARG_RECORD, PB_BPF_ARG_ANY },
	  .function = ringbuf_discard },
	{ .id = BPF_FUNC_ktime_get_ns,
	  .flags = PB_BPF_VECTORS,
	  .function = ktime_get_ns },
	{ .id = BPF_FUNC_get_current_pid_tgid, .function = current_pid_tgid },
	{ .id = BPF_FUNC_get_func_ip,
	  .args = { PB_BPF_ARG_CONTEXT },
	  .function = func_ip },
	{ .id = BPF_FUNC_get_attach_cookie,
	  .args = { PB_BPF_ARG_CONTEXT },
	  .function = attach_cookie },
	{ .id = BPF_FUNC_get_func_arg,
	  .args = { PB_BPF_ARG_CONTEXT, PB_BPF_ARG_ANY, PB_BPF_ARG_OUT_WORD },
	  .function = func_arg },
	{ .id = BPF_FUNC_get_func_ret,
	  .args = { PB_BPF_ARG_CONTEXT, PB_BPF_ARG_OUT_WORD },
	  .function = func_ret },
	{ .id = BPF_FUNC_get_func_arg_cnt,
	  .args = { PB_BPF_ARG_CONTEXT },
	  .function = func_arg_cnt },
	{ .id = BPF_FUNC_probe_read_user,
	  .args = { PB_BPF_ARG_OUT, PB_BPF_ARG_SIZE, PB_BPF_ARG_ANY },
	  .function = probe_read_user },
	{ .id = BPF_FUNC_probe_read_user_str,
	  .args = { PB_BPF_ARG_OUT, PB_BPF_ARG_SIZE, PB_BPF_ARG_ANY },
	  .function = probe_read_user_str },
};

const size_t pb_bpf_nr_helpers =
	sizeof(pb_bpf_helpers) / sizeof(pb_bpf_helpers[0]);

const struct pb_bpf_helper *pb_bpf_find_helper(uint32_t id)
{
	for (size_t i = 0; i < pb_bpf_nr_helpers; i++)
		if (pb_bpf_helpers[i].id == id)
			return &pb_bpf_helpers[i];
	return NULL;
}
