/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of RFC 9669 that headers of older kernels do not have. */
#ifndef PB_BPF_ISA_H
#define PB_BPF_ISA_H

#include <linux/bpf.h>

#ifndef BPF_MEMSX
#define BPF_MEMSX 0x80
#endif

#endif /* PB_BPF_ISA_H */
