// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for programs that use bpf(2) directly, so that they need only libc.
#ifndef PATCHBAY_TEST_GUEST_BPF_H
#define PATCHBAY_TEST_GUEST_BPF_H

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static inline void *read_btf(void)
{
	static char btf[16 << 20];
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	size_t size = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, btf + size, sizeof(btf) - size)) > 0)
		size += n;
	if (size < sizeof(struct btf_header)) {
		printf("no types of the kernel: %s\n", strerror(errno));
		exit(1);
	}
	close(fd);
	return btf;
}

// Number of bytes that follow the header of this type.
static inline size_t tail(const struct btf_type *type)
{
	size_t count = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return count * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return count * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return count * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return count * sizeof(struct btf_var_secinfo);
	default:
		return 0;
	}
}

static inline int find_function(const void *btf, const char *name)
{
	const struct btf_header *header = btf;
	const char *types = (const char *)btf + header->hdr_len + header->type_off;
	const char *names = (const char *)btf + header->hdr_len + header->str_off;
	int id = 1;

	for (size_t at = 0; at < header->type_len; id++) {
		const struct btf_type *type = (const void *)(types + at);

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strcmp(names + type->name_off, name))
			return id;
		at += sizeof(*type) + tail(type);
	}
	return 0;
}

#define INSN(op, d, s, o, i) \
	{ .code = (op), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }

#endif
