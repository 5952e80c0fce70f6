# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints the kernel's BTF types, for compiling BPF programs.
gzip -c /sys/kernel/btf/vmlinux | base64
