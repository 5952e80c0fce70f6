# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The types of the kernel, for compiling BPF programs.
gzip -c /sys/kernel/btf/vmlinux | base64
