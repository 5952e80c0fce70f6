/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Empty BPF programs, and BPF programs that count calls. This file does not use the headers
 * of libbpf, which include headers that may be missing.
 */
#define SEC(name) __attribute__((section(name), used))

unsigned long calls;

SEC("fentry/hot_callee") int fentry_empty(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("fentry/hot_callee") int fentry_count(void *ctx)
{
	(void)ctx;
	__sync_fetch_and_add(&calls, 1);
	return 0;
}

SEC("fexit/hot_callee") int fexit_empty(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("fexit/hot_callee") int fexit_count(void *ctx)
{
	(void)ctx;
	__sync_fetch_and_add(&calls, 1);
	return 0;
}

SEC("fmod_ret/hot_callee") int fmodret_empty(void *ctx)
{
	(void)ctx;
	return 0;
}

SEC("fmod_ret/hot_callee") int fmodret_count(void *ctx)
{
	(void)ctx;
	__sync_fetch_and_add(&calls, 1);
	return 0;
}
