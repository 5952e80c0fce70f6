/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u8[3]);
} seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

SEC("fentry.multi/qu*")
int on_quick(__u64 *ctx)
{
	__u32 key = 77;
	__u8 value[3] = { 1, 2, 0xff };
	__u64 number = 12345;

	if (!bpf_map_lookup_elem(&seen, &key))
		bpf_ringbuf_output(&events, &number, sizeof(number), 0);
	bpf_map_update_elem(&seen, &key, value, BPF_ANY);
	return 0;
}
