/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The protocol between a traced process and `patchbay live` or `patchbay attach`.
 *
 * With live=1 in PATCHBAY the process has a datagram socket, the "gate",
 * where clients *knock*. The socket's name is abstract, so it disappears
 * with the process, and random, so no other process has the same one, in
 * any PID namespace. A forked child has another random name.
 *
 * A user may control a process if that user may ptrace it, since ptrace(2)
 * permits all of this anyway. The kernel decides: by user and group,
 * capabilities, prctl(PR_SET_DUMPABLE), user namespaces, and Yama (ptrace(2),
 * "Ptrace access mode checking"). All processes in the network namespace can
 * see the name. They must not be able to send anything into the process, not
 * even a descriptor to close. The client proves its rights in this way:
 *
 *  1. It opens /proc/PID/mem, which asks for PTRACE_MODE_ATTACH_FSCREDS. There
 *     it finds struct pb_control_note of libpatchbay-trace.so. The note points to
 *     the gate's name and secret in struct pb_control_point.
 *  2. It makes a pair of connected SOCK_SEQPACKET sockets, and knocks: it sends
 *     the secret to the gate, with one of the two (SCM_RIGHTS). The kernel drops
 *     any other packet in the client's own system call (gate.h).
 *  3. For each connection the process makes a random proof, stores it in a free element
 *     of @proof, and sends the client the number of that element (the *place*).
 *  4. The client reads the proof there, and sends it along with its request.
 *
 * The proof is for this connection only. The process erases it when the request
 * has come, or after a time limit. So a process that has learned the secret,
 * for example from a core dump, can keep this process busy, but not control it.
 * fork() fills the memory of struct pb_control_point with zeros. So a child,
 * which may have fewer rights, has neither secret nor proof of its parent.
 *
 * The client also sends descriptors, so it verifies its peer: it asks the
 * kernel for the sender of each packet (SO_PASSCRED).
 *
 * A process that restricts itself must not keep an unrestricted thread, since
 * an attacker inside the process could use it. Nor may the thread make system
 * calls under a filter that does not allow them. So it ends
 *  - before a filter of seccomp(2) or its strict mode takes effect, for one
 *    thread or for all;
 *  - when landlock_restrict_self(2) has succeeded. The thread never gains
 * privileges by execve(2), so a program may set PR_SET_NO_NEW_PRIVS and stay
 * controllable. The C library applies setuid(2) and similar calls to all
 * threads. By then the thread has opened /proc/thread-self/mem, so it can
 * still change the code of this process, and of no other. The process does
 * not
 * notice capset(2), nor system calls that bypass prctl() and syscall() of the
 * C library. After those the thread keeps its rights.
 *
 * A connection carries one request and one reply, and is then closed. PB_CONTROL_ATTACH
 * keeps it open while the program is attached: when the client closes it, or dies, the
 * process detaches the program. Both sides run on this machine and use its byte order. In
 * all versions, @version and @result of greeting and reply keep their places.
 */
#ifndef PATCHBAY_TRACE_CONTROL_H
#define PATCHBAY_TRACE_CONTROL_H

#include "format.h"

#include <limits.h>

#define PB_CONTROL_NAME "patchbay/"
#define PB_CONTROL_NAME_MAX 48
#define PB_CONTROL_VERSION 6
#define PB_CONTROL_TEXT_MAX 4096

/* Bytes of the secret and of a proof, too many to guess. */
#define PB_CONTROL_KNOCK 32
#define PB_CONTROL_PROOF 32

/* Maximum number of connections that have not sent their request yet. */
#define PB_CONTROL_PLACES 16

#define PB_CONTROL_RESTRICTED 1 /* the process, or the one that forked it,
				   restricted itself (above) */
#define PB_CONTROL_LEFT 2	/* the commands that it listened for have
				   gone (visit.h) */

/*
 * @version: PB_CONTROL_VERSION, or 0 until a thread listens
 * @name:    of the gate, after the first NUL of its address
 * @knock:   the secret: the whole packet that the gate accepts
 * @proof:   the proofs of connections, by place
 * @ended:   0, or why no thread listens any more: PB_CONTROL_RESTRICTED or _LEFT
 * @thread:  the listening thread's number in its own PID namespace; 0: it does
 *           not run yet. The gate is in the network namespace of that thread
 */
struct pb_control_point {
	uint32_t version;
	char name[PB_CONTROL_NAME_MAX];
	uint8_t knock[PB_CONTROL_KNOCK];
	uint8_t proof[PB_CONTROL_PLACES][PB_CONTROL_PROOF];
	uint32_t ended;
	uint32_t thread;
};

/*
 * Descriptor of the note of type PATCHBAY_NOTE_CONTROL. All versions begin with the
 * version. @point points to the pointer to struct pb_control_point.
 */
struct pb_control_note {
	uint32_t version;
	int32_t point; /* relative to this field */
};

/* @result: 0. @place: the number of the proof's place. */
struct pb_control_greeting {
	uint32_t version;
	int32_t result;
	uint32_t place;
};

enum pb_control_verb {
	PB_CONTROL_STATUS = 1,    /* change nothing */
	PB_CONTROL_ARM = 2,       /* @text: a glob for names of functions */
	PB_CONTROL_DISARM = 3,    /* likewise */
	PB_CONTROL_THRESHOLD = 4, /* @text: as the value of thresh= */
	PB_CONTROL_SNAPSHOT = 5,  /* the reply has a descriptor of the data file */
	PB_CONTROL_ATTACH = 6,    /* @text: five strings, see below */
	PB_CONTROL_HOLD = 7,      /* @text: "" or options, see below */
	PB_CONTROL_WATCH = 8,     /* @text: a time, or ""; see below */
	PB_CONTROL_UNDER = 9,     /* @text: a glob, as ARM; "": record everywhere */
	PB_CONTROL_UNDER_TOO = 10, /* additionally record beneath these functions */
};

/*
 * Descriptors that a request carries, in this order. A process never opens a
 * path that a client sent: the same path may name another file for the client.
 */
enum pb_control_file {
	PB_CONTROL_NAMES = 1,   /* see below */
	PB_CONTROL_PROGRAM = 2, /* the file of ATTACH, opened for reading */
};
#define PB_CONTROL_FILES_MAX 2

/*
 * PB_CONTROL_ATTACH has five strings, one after the other:
 *   - the kind of link, as the option of `patchbay attach`
 *   - a glob for names of functions
 *   - the path of the file, for messages only
 *   - the symbol in it; empty for BPF objects, whose sections name kinds and
 *     functions
 *   - "s" to skip functions that are refused, or ""
 *
 * Globs match names in symbol tables. A client may match other names, such as
 * demangled ones: it sends the matching symbols in a file, each ended by NUL. The
 * file's descriptor comes with ARM, DISARM, UNDER or ATTACH, and its names replace
 * the glob. DISARM uses both, since an earlier ARM may apply the glob to modules
 * that are loaded later.
 *
 * Before the reply the process sends lines for the user, each a packet of at most
 * PB_CONTROL_SAID_MAX bytes. They say why it refuses the program, and for which
 * functions. After the reply it sends the contents of BPF programs' ring buffers. When
 * the client has shut down its side, the process sends the contents of the maps and
 * closes the connection. It drops a client that accepts no data for two seconds.
 */
/*
 * PB_CONTROL_HOLD is for recordings that a command has begun in a process
 * (visit.h). The connection stays open, and the recording lasts as long as the
 * connection. When the client shuts down its side or dies, the process ends
 * the recording, sends a second reply, and stops listening.
 *
 * With a @text the client holds the runtime instead of a recording, as up to
 * PB_CONTROL_KEEPERS clients can. The process listens until the last of them
 * has gone. While nothing is recorded it uses the options in @text
 * (options.h). If it continues listening for another client, the result of the
 * second reply is PB_CONTROL_STAYS.
 */
#define PB_CONTROL_STAYS 1
#define PB_CONTROL_KEEPERS 64 /* maximum number of clients that hold the runtime */

/*
 * PB_CONTROL_WATCH: like SNAPSHOT, but the connection stays open. After the reply the
 * process sends PB_CONTROL_SLOW when a recorded call took at least the time in @text. One
 * packet covers all such calls since the previous one. It sends PB_CONTROL_STOPPED when a
 * function of stop_at has stopped recording. Only one client can watch. The descriptor of
 * the data file stays valid after the process has gone.
 */
#define PB_CONTROL_SLOW "slow"
#define PB_CONTROL_STOPPED "stopped"

#define PB_CONTROL_ATTACH_STRINGS 5
#define PB_CONTROL_SAID_MAX 1024

/* @files: PB_CONTROL_NAMES and PB_CONTROL_PROGRAM, as sent along */
struct pb_control_request {
	uint32_t version;
	uint32_t verb;
	uint32_t files;
	uint8_t proof[PB_CONTROL_PROOF];
	char text[PB_CONTROL_TEXT_MAX]; /* ended by NUL */
};

/*
 * @result: 0, for ARM, DISARM, UNDER and ATTACH the number of functions, or -errno.
 *          All verbs: -EKEYREJECTED: the proof is wrong, and the reply says nothing else.
 *          -EPROTONOSUPPORT: another version. -ENOSYS: an unknown verb. -EBADF: the
 *          descriptors do not match @files and the verb. -EUNATCH: the request needs a
 *          recording, but only programs are attached.
 *          ARM, DISARM, UNDER: -ENOENT: no such function. -EINVAL: the file contains no
 *          names. -EFBIG: it is larger than 64 MiB. -ETIMEDOUT: done, but a handler that was
 *          running before may still be running. -EAGAIN: nothing has changed, because an old
 *          handler of a function to be armed is still running.
 *          ATTACH: the same, and -ENOEXEC: the file cannot be loaded. Lines sent before the
 *          reply explain errors.
 *          THRESHOLD: -EINVAL, -ERANGE: invalid. -EOPNOTSUPP: the tracer has no durations.
 *          -EBUSY: causes of slow calls are recorded (why=).
 *          WATCH: as THRESHOLD, and -EBUSY: another client watches.
 *          HOLD: -EBUSY: another client holds the recording. -ENOTTY: the
 *          recording began with the process, and ends with it. -EUSERS: too
 *          many clients hold the runtime. In the second reply, -ETIMEDOUT:
 *          nothing is traced any more, but a handler may still be running.
 *          Others: errors of patchbay_arm_filter(), patchbay_batch_commit(), or
 *          of opening the data file.
 * @waited_for: for -ETIMEDOUT and -EAGAIN, the thread that runs that handler, as
 *          gettid(2) returns it in the process; 0: a thread that is ending
 * The other fields have the state after the request.
 */
struct pb_control_reply {
	uint32_t version;
	int32_t result;
	uint64_t armed; /* functions */
	uint64_t threshold_ns;
	uint32_t recording; /* 0: before start_at, or after stop_at */
	uint32_t waited_for;
	uint32_t overhead; /* pb_budget_overhead() */
	uint32_t roots;    /* functions beneath which calls are recorded; 0:
			      everywhere */
	char tracer[PBD_NAME_MAX];
	char file[PATH_MAX];
};

#endif /* PATCHBAY_TRACE_CONTROL_H */
