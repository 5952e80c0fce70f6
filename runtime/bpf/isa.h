/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constants of RFC 9669 that headers of older kernels do not have. */
#pragma once

#include <linux/bpf.h>

#ifndef BPF_MEMSX
#define BPF_MEMSX 0x80
#endif
