/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "placed.h"

#define DEFINE_kk DEFINE_STATIC_CALL
#define DEFINE_mm DEFINE_STATIC_CALL
#define DEFINE_km DEFINE_EXPORTED_STATIC_CALL
#define DEFINE_mk DEFINE_EXPORTED_STATIC_CALL

#define KEY(c, k, t)                                                           \
	extern function target_##c##k##t;                                      \
	DEFINE_##c##k(c##k##t, target_##c##k##t);                              \
	extern function *pointer_##c##k##t SEEN_##c##k;                        \
	function *pointer_##c##k##t = target_##c##k##t;

PLACED_KEYS(UNIT, KEY)
