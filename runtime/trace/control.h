/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How `patchbay live` talks to a process that is being traced.
 *
 * With live=1 in PATCHBAY the process listens on a Unix socket of the type
 * SOCK_SEQPACKET, whose name is abstract, so that nothing is left when it is
 * killed: PB_CONTROL_NAME and its process id. Anybody may connect to an
 * abstract name, and anybody may have taken it: each side asks the kernel who
 * the other one is (SO_PEERCRED), and has nothing to do with another user.
 *
 * One request, one reply, and the connection is closed; but that of
 * PB_CONTROL_ATTACH stays open as long as the program is to be attached: when the
 * client closes it, or dies, the program is detached. Both are of this
 * machine and in its byte order. Where versions differ, @version and @result of
 * the reply are still in their places.
 */
#ifndef PATCHBAY_TRACE_CONTROL_H
#define PATCHBAY_TRACE_CONTROL_H

#include "format.h"

#include <limits.h>

#define PB_CONTROL_NAME "patchbay/"
#define PB_CONTROL_VERSION 2
#define PB_CONTROL_TEXT_MAX 4096

enum pb_control_verb {
	PB_CONTROL_STATUS = 1,    /* change nothing */
	PB_CONTROL_ARM = 2,       /* @text: a glob for names of functions */
	PB_CONTROL_DISARM = 3,    /* likewise */
	PB_CONTROL_THRESHOLD = 4, /* @text: as the value of thresh= */
	PB_CONTROL_SNAPSHOT = 5,  /* to the file whose descriptor comes along */
	PB_CONTROL_ATTACH = 6,    /* @text: five strings, see below */
};

/*
 * The strings of PB_CONTROL_ATTACH, one behind the other: the kind of link, as
 * option of `patchbay attach`; a glob for names of functions; the path of the
 * file; the symbol in it, empty for BPF objects, whose sections name kinds and
 * functions; "s" to skip functions that are refused, or "".
 *
 * Names of functions are those of symbol tables. A client that knows others,
 * such as demangled ones, finds out what a glob means by them. It then sends the
 * symbols' names in a file, each ended by NUL, whose descriptor comes along with
 * ARM, DISARM or ATTACH: they count in place of the glob. DISARM looks at that
 * as well: by it modules that are loaded later may be armed.
 *
 * Before the reply the process sends lines for the user, each a packet of at most
 * PB_CONTROL_SAID_MAX bytes: why the program is refused, and by which functions.
 * Behind it come what BPF programs put into ring buffers and, when the client
 * has shut down its side, what their maps hold; then it closes the connection.
 */
#define PB_CONTROL_ATTACH_STRINGS 5
#define PB_CONTROL_SAID_MAX 1024

struct pb_control_request {
	uint32_t version;
	uint32_t verb;
	char text[PB_CONTROL_TEXT_MAX]; /* ended by NUL */
};

/*
 * @result: 0, for ARM and DISARM the number of functions, or -errno:
 *          -EPROTONOSUPPORT: another version. -ENOSYS: an unknown verb.
 *          -EOPNOTSUPP: a threshold, and a tracer without durations.
 *          -EINVAL, -ERANGE: a threshold that is none. -EBADF: no descriptor.
 *          -EINVAL: a file that does not hold names. -EFBIG: more than 64 MiB.
 *          Of ATTACH: the number of functions; errors were explained by lines.
 *          -ENOENT: there is no such function. -ENOEXEC: no such file.
 *          Others: patchbay_arm_filter() and patchbay_batch_commit(), or what
 *          reading and writing files returned.
 * The rest is as it is afterwards.
 */
struct pb_control_reply {
	uint32_t version;
	int32_t result;
	uint64_t armed; /* functions */
	uint64_t threshold_ns;
	uint32_t recording; /* 0: before start_at, or after stop_at */
	uint32_t reserved;
	char tracer[PBD_NAME_MAX];
	char file[PATH_MAX];
};

#endif /* PATCHBAY_TRACE_CONTROL_H */
