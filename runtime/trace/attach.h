/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that `patchbay attach` has attached. Called by the listening thread. */
#ifndef PB_TRACE_ATTACH_H
#define PB_TRACE_ATTACH_H

#include "control.h"

/*
 * Carry out a request of PB_CONTROL_ATTACH that came from @client, with a @file
 * of names or -1. Returns the number of functions: @client is then kept until
 * the program is detached; or a negative errno, and what is wrong has been said
 * to @client.
 */
int pb_attach(int client, const struct pb_control_request *request, int file);

/* Wait until @listener has a client, and detach meanwhile what is to be. */
void pb_attach_wait(int listener);

#endif /* PB_TRACE_ATTACH_H */
