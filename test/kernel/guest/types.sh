# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints the kernel's BTF types, which are needed to compile BPF programs.
gzip -c /sys/kernel/btf/vmlinux | base64
