/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* BPF programs as users write them, with the headers of libbpf. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct event {
	__u64 ip;
	__u64 cookie;
	__u32 number;
	char text[12];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8);
	__type(key, __u64);
	__type(value, __u64);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct event);
} last SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

__u64 sum;
__u64 answer = 7;
const volatile __u32 limit = 100;

/* Each function has its own entry in the hash. */
SEC("fentry.multi/fern_*")
int count(__u64 *ctx)
{
	__u64 ip = bpf_get_func_ip(ctx), one = 1;
	__u64 *nr = bpf_map_lookup_elem(&calls, &ip);

	if (nr)
		__sync_fetch_and_add(nr, 1);
	else
		bpf_map_update_elem(&calls, &ip, &one, BPF_NOEXIST);
	return 0;
}

/* Reads arguments and result by the names that BPF_PROG() declares. */
SEC("fexit/fern_add")
int BPF_PROG(add_exit, int a, int b, int result)
{
	__u32 index = 1;
	struct event *event = bpf_map_lookup_elem(&last, &index);

	if (!event || a > limit)
		return 0;
	event->ip = bpf_get_func_ip(ctx);
	event->cookie = bpf_get_attach_cookie(ctx);
	event->number = a * 10000 + b * 100 + result;
	sum += result;
	return 0;
}

/* Uses the helpers that return data of the traced function. */
SEC("fexit.multi/moss_*")
int moss_exit(void *ctx)
{
	struct event event = { .ip = bpf_get_func_ip(ctx) };
	__u64 value = 0, nr = bpf_get_func_arg_cnt(ctx);
	long error;

	if (nr && !bpf_get_func_arg(ctx, nr - 1, &value))
		event.cookie = value;
	error = bpf_get_func_arg(ctx, nr, &value);
	event.text[0] = error == -22 ? 'e' : '?';
	error = bpf_get_func_ret(ctx, &value);
	event.text[1] = error ? 'n' : 'r';
	event.number = value;
	bpf_ringbuf_output(&events, &event, sizeof(event), 0);
	return 0;
}

/* Copies a string in the process to a record of the ring buffer. */
SEC("fentry/rush_open")
int BPF_PROG(open_entry, const char *name)
{
	struct event *event;

	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event)
		return 0;
	event->ip = bpf_get_current_pid_tgid();
	event->cookie = bpf_ktime_get_ns();
	event->number = bpf_probe_read_user_str(event->text,
						sizeof(event->text), name);
	if (name)
		bpf_ringbuf_submit(event, 0);
	else
		bpf_ringbuf_discard(event, 0);
	return 0;
}

SEC("fmod_ret/fern_deny")
int BPF_PROG(deny, int a)
{
	__u64 by = a > 4 ? a - 5 : 1;

	return a > 2 ? answer / by : 0;
}
