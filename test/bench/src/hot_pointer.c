/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hot_form.h"

hot_function *hot_pointer = hot_callee;
