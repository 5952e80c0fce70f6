# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The types of the kernel, as BPF programs are compiled with them.
gzip -c /sys/kernel/btf/vmlinux | base64
