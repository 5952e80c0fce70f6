/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The protocol between a traced process and `patchbay live` or `patchbay attach`.
 *
 * With live=1 in PATCHBAY the process has a datagram socket, the "gate". A client *knocks*:
 * it sends a packet to the gate. The socket's name is abstract, so that it disappears with
 * the process, and random, so that it is unique in all PID namespaces. A forked child has
 * another random name.
 *
 * A user may control a process if that user may ptrace the process, because ptrace(2)
 * permits the same changes. The kernel checks user and group, capabilities,
 * prctl(PR_SET_DUMPABLE), user namespaces, and Yama (ptrace(2), "Ptrace access mode
 * checking"). All processes in the network namespace can see the name of the gate, but must
 * not be able to send anything into the process, not even a descriptor to close. The client
 * proves its rights in this way:
 *
 *  1. The client opens /proc/PID/mem, for which the kernel requires
 *     PTRACE_MODE_ATTACH_FSCREDS. There the client reads struct pb_control_note of
 *     libpatchbay-trace.so, which points to the gate's name and secret in struct
 *     pb_control_point.
 *  2. The client makes a pair of connected SOCK_SEQPACKET sockets, and knocks: it sends the
 *     secret and one of the two sockets to the gate (SCM_RIGHTS). The kernel drops packets
 *     without the secret, in the system call of the sender (gate.h).
 *  3. For each connection the process makes a random proof, stores it in a free element
 *     of @proof, and sends the client the number of that element (the *place*).
 *  4. The client reads the proof by /proc/PID/mem, and sends it with its request.
 *
 * The proof is valid for one connection. The process erases the proof when the request has
 * arrived, or after a time limit. So an attacker that knows the secret, for example from a
 * core dump, can keep the process busy, but cannot control it. fork() fills the memory of
 * struct pb_control_point with zeros, so that a child, which may have fewer rights, has
 * neither secret nor proofs of its parent.
 *
 * The client also sends descriptors, so it verifies its peer: the kernel adds the sender's
 * credentials to each packet (SO_PASSCRED).
 *
 * A process that restricts itself must not keep an unrestricted thread, because an attacker
 * inside the process could use that thread. The listening thread also cannot run under a
 * filter that forbids its system calls. So the listening thread ends
 *  - before a seccomp(2) filter or seccomp's strict mode takes effect, for one thread or
 *    for all;
 *  - when landlock_restrict_self(2) has succeeded.
 *
 * Other changes of rights leave the thread running. The thread has set PR_SET_NO_NEW_PRIVS
 * for itself, so a program that sets the flag, too, stays controllable. The C library applies
 * setuid(2) and similar calls to all threads, including this one. The thread has already
 * opened /proc/thread-self/mem, so it can still change the code of this process, and of no
 * other process. The process does not notice capset(2), and system calls that bypass
 * prctl() and syscall() of the C library. After these the thread keeps its rights.
 *
 * A connection carries one request and one reply, and is then closed. With
 * PB_CONTROL_ATTACH it stays open while the program is attached: when the client closes the
 * connection, or dies, the process detaches the program. All numbers have the byte order of
 * the machine. @version and @result of greeting and reply have the same offsets in all
 * versions.
 */
#ifndef PATCHBAY_TRACE_CONTROL_H
#define PATCHBAY_TRACE_CONTROL_H

#include "format.h"

#include <limits.h>

#define PB_CONTROL_NAME "patchbay/"
#define PB_CONTROL_NAME_MAX 48
#define PB_CONTROL_VERSION 6
#define PB_CONTROL_TEXT_MAX 4096

/* Bytes of the secret and of a proof: too many to guess. */
#define PB_CONTROL_KNOCK 32
#define PB_CONTROL_PROOF 32

/* Maximum number of connections that have not sent their request yet. */
#define PB_CONTROL_PLACES 16

#define PB_CONTROL_RESTRICTED 1 /* the process or its parent restricted itself (above) */
#define PB_CONTROL_LEFT 2	/* all commands that held the runtime have ended (visit.h) */

/*
 * @version: PB_CONTROL_VERSION, or 0 until a thread listens
 * @name:    the gate's name, after the first NUL of its address
 * @knock:   the secret: the contents of the only packet that the gate accepts
 * @proof:   the proofs of connections, by place
 * @ended:   why the thread has stopped listening: PB_CONTROL_RESTRICTED or _LEFT; 0: it has
 *           not
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
 * The descriptor of the ELF note of type PATCHBAY_NOTE_CONTROL. @version is first in all
 * versions. @point refers to the pointer to struct pb_control_point.
 */
struct pb_control_note {
	uint32_t version;
	int32_t point; /* offset of the pointer, relative to this field */
};

/* @result is 0. @place: the index of the proof in @proof. */
struct pb_control_greeting {
	uint32_t version;
	int32_t result;
	uint32_t place;
};

enum pb_control_verb {
	PB_CONTROL_STATUS = 1,    /* change nothing */
	PB_CONTROL_ARM = 2,       /* @text: a glob for names of functions */
	PB_CONTROL_DISARM = 3,    /* @text: as ARM */
	PB_CONTROL_THRESHOLD = 4, /* @text: as the value of threshold= */
	PB_CONTROL_SNAPSHOT = 5,  /* the reply has a descriptor of the data file */
	PB_CONTROL_ATTACH = 6,    /* @text: five strings, see below */
	PB_CONTROL_HOLD = 7,      /* @text: "" or options, see below */
	PB_CONTROL_WATCH = 8,     /* @text: a time, or ""; see below */
	PB_CONTROL_UNDER = 9,     /* @text: as ARM; "": record everywhere */
	PB_CONTROL_UNDER_TOO = 10, /* as UNDER, but adds functions */
};

/*
 * Descriptors that a request carries, in this order. A process never opens a path that a
 * client sends, because the path may name another file in the process.
 */
enum pb_control_file {
	PB_CONTROL_NAMES = 1,   /* see below */
	PB_CONTROL_PROGRAM = 2, /* the file of ATTACH, opened for reading */
};
#define PB_CONTROL_FILES_MAX 2

/*
 * @text of PB_CONTROL_ATTACH contains five strings, each ended by NUL:
 *   - the kind of link, named as the option of `patchbay attach`
 *   - a glob for names of functions
 *   - the path of the file, for messages only
 *   - the symbol in the file; empty for BPF objects, whose sections name kinds and
 *     functions
 *   - "s" to skip functions that are refused, or ""
 *
 * Globs match names in symbol tables. To match other names, such as demangled names, a
 * client sends the matching symbols in a file, each ended by NUL. The file's descriptor
 * comes with ARM, DISARM, UNDER or ATTACH, and its names replace the glob. DISARM uses
 * names and glob, because an earlier ARM may still apply the glob to future modules.
 *
 * Before the reply to ATTACH the process sends messages for the user, each a packet of at
 * most PB_CONTROL_SAID_MAX bytes, with the reasons for refusing the program or functions.
 * After the reply the process sends the contents of BPF programs' ring buffers. When the
 * client has shut down its side, the process sends the contents of the maps and closes the
 * connection. The process drops a client that accepts no data for two seconds.
 */
/*
 * PB_CONTROL_HOLD keeps a recording alive that a command has begun in a process (visit.h).
 * The recording lasts as long as the connection. When the client shuts down its side or
 * dies, the process ends the recording, sends a second reply, and stops listening.
 *
 * If @text is not empty, the client holds the runtime instead of a recording: the process
 * listens until the last such client has disconnected. While nothing is recorded, the
 * process uses the options in @text (options.h). If the process continues to listen for
 * another client, the result of the second reply is PB_CONTROL_STAYS.
 */
#define PB_CONTROL_STAYS 1
#define PB_CONTROL_KEEPERS 64 /* maximum number of clients that hold the runtime */

/*
 * PB_CONTROL_WATCH: like SNAPSHOT, but the connection stays open. After the reply the
 * process sends PB_CONTROL_SLOW when a recorded call took at least the time in @text. One
 * packet covers all such calls since the previous packet. The process sends
 * PB_CONTROL_STOPPED when a function of stop-at= has stopped recording. Only one client can
 * watch. The descriptor of the data file stays valid after the process has ended.
 */
#define PB_CONTROL_SLOW "slow"
#define PB_CONTROL_STOPPED "stopped"

#define PB_CONTROL_ATTACH_STRINGS 5
#define PB_CONTROL_SAID_MAX 1024

/* @files: the descriptors that come with the request: PB_CONTROL_NAMES, PB_CONTROL_PROGRAM */
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
 *          ATTACH: as ARM, and -ENOEXEC: the file cannot be loaded. Lines sent before the
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
	uint32_t recording; /* 0: waiting for start-at=, or stopped by stop-at= */
	uint32_t waited_for;
	uint32_t overhead; /* result of pb_budget_overhead() */
	uint32_t roots;    /* number of functions beneath which calls are recorded; 0:
			      everywhere */
	char tracer[PBD_NAME_MAX];
	char file[PATH_MAX];
};

#endif /* PATCHBAY_TRACE_CONTROL_H */
