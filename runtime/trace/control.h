/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How `patchbay live` and `patchbay attach` talk to a process that is traced.
 *
 * With live=1 in PATCHBAY the process has a datagram socket, at which clients knock
 * ("gate" from here on). Its name is abstract, so that nothing is left when the
 * process is killed, and random: no other process can have taken it, in whatever PID
 * namespace, and a forked child, which has a number of its own, has another.
 *
 * Who may control a process is who may ptrace it, since that one could do all of this
 * anyway, and it is the kernel that decides: by user and group, by capabilities, by
 * prctl(PR_SET_DUMPABLE), by user namespaces, and by Yama (ptrace(2), "Ptrace access
 * mode checking"). Everybody else in the network namespace can see the name, and
 * must not get anything into the process by it, not even something to close. The
 * client proves what it may in this way:
 *
 *  1. It opens /proc/PID/mem, which asks for PTRACE_MODE_ATTACH_FSCREDS, finds
 *     struct pb_control_note in libpatchbay-trace.so, and by it the name of the
 *     gate and its secret in struct pb_control_point.
 *  2. It makes a pair of connected sockets of the type SOCK_SEQPACKET, and knocks: it
 *     sends the secret to the gate, with one of the two (SCM_RIGHTS). What is not the
 *     secret the kernel drops in the client's own system call (gate.h).
 *  3. The process draws a proof for each connection, writes it into a place of
 *     its memory, and greets the client with the number of that place.
 *  4. The client reads the proof there, and sends it along with its request.
 *
 * The proof is for this connection only: it is wiped when the request has come,
 * or has not come for some time. So who has learned the secret, as from a core dump,
 * can keep the process busy, but not control it. struct pb_control_point is in memory
 * that fork() fills with zeros, so that a child, which may have fewer rights, has
 * neither secret nor proof of its parent's.
 *
 * The client makes sure that it speaks to the process, since it sends descriptors,
 * too: with each packet that comes it asks the kernel who sent it (SO_PASSCRED).
 *
 * A process that restricts itself must not keep a thread that is not restricted:
 * whoever takes over the process could use that one. Nor may the thread make system
 * calls under a filter that does not know of it. So it ends
 *  - before a filter of seccomp(2) or its strict mode comes into force, be it for one
 *    thread or for all;
 *  - when landlock_restrict_self(2) has succeeded.
 * It never gains privileges by execve(2) (PR_SET_NO_NEW_PRIVS), so a program may set
 * that and go on being controlled. What setuid(2) and its like change the C library
 * changes in all threads; what the thread opened before is /proc/thread-self/mem, which
 * lets it go on changing code, of this process alone. Not seen are capset(2), and system calls that are made
 * without prctl() and syscall() of the C library: there the thread keeps what it had.
 *
 * One request, one reply, and the connection is closed; but that of
 * PB_CONTROL_ATTACH stays open as long as the program is to be attached: when the
 * client closes it, or dies, the program is detached. Both are of this
 * machine and in its byte order. Where versions differ, @version and @result of
 * greeting and reply are still in their places.
 */
#ifndef PATCHBAY_TRACE_CONTROL_H
#define PATCHBAY_TRACE_CONTROL_H

#include "format.h"

#include <limits.h>

#define PB_CONTROL_NAME "patchbay/"
#define PB_CONTROL_NAME_MAX 48
#define PB_CONTROL_VERSION 6
#define PB_CONTROL_TEXT_MAX 4096

/* Bytes of the secret and of a proof: nobody guesses them. */
#define PB_CONTROL_KNOCK 32
#define PB_CONTROL_PROOF 32

/* Connections that have not sent their request yet. */
#define PB_CONTROL_PLACES 16

#define PB_CONTROL_RESTRICTED 1 /* the process, or who forked it, restricted itself (above) */
#define PB_CONTROL_LEFT 2	/* the commands for which it listened have gone (visit.h) */

/*
 * @version: PB_CONTROL_VERSION, or 0 as long as nobody listens
 * @name:    of the gate, behind the first NUL of its address
 * @knock:   what it takes, all of the packet
 * @proof:   by place
 * @ended:   0, or why nobody listens any more, as above
 * @thread:  the one that listens, as it is numbered in its own PID namespace; 0: it
 *           does not run yet. The gate is in the network namespace of that thread
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
 * Descriptor of the note of type PATCHBAY_NOTE_CONTROL: PB_CONTROL_VERSION, which
 * always comes first, and where the pointer to struct pb_control_point is.
 */
struct pb_control_note {
	uint32_t version;
	int32_t point; /* relative to this field */
};

/* @result: 0. @place: of the proof. */
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
	PB_CONTROL_HOLD = 7,      /* see below */
	PB_CONTROL_WATCH = 8,     /* @text: a time, or ""; see below */
	PB_CONTROL_UNDER = 9,     /* @text: a glob, as ARM; "": record everywhere */
	PB_CONTROL_UNDER_TOO = 10, /* beneath these functions as well */
};

/*
 * Descriptors that come along, in this order. A process never opens a path that a
 * client gave: the client may see other files by it.
 */
enum pb_control_file {
	PB_CONTROL_NAMES = 1,   /* see below */
	PB_CONTROL_PROGRAM = 2, /* the file of ATTACH, opened for reading */
};
#define PB_CONTROL_FILES_MAX 2

/*
 * The strings of PB_CONTROL_ATTACH, one behind the other: the kind of link, as
 * option of `patchbay attach`; a glob for names of functions; the path of the
 * file, for messages only; the symbol in it, empty for BPF objects, whose sections
 * name kinds and functions; "s" to skip functions that are refused, or "".
 *
 * Names of functions are those of symbol tables. A client that knows others,
 * such as demangled ones, finds out what a glob means by them. It then sends the
 * symbols' names in a file, each ended by NUL, whose descriptor comes along with
 * ARM, DISARM, UNDER or ATTACH: they count in place of the glob. DISARM looks at that
 * as well: by it modules that are loaded later may be armed.
 *
 * Before the reply the process sends lines for the user, each a packet of at most
 * PB_CONTROL_SAID_MAX bytes: why the program is refused, and by which functions.
 * Behind it come what BPF programs put into ring buffers and, when the client
 * has shut down its side, what their maps hold; then it closes the connection. A
 * client that does not take them for two seconds is let go: the process waits
 * for nobody longer.
 */
/*
 * PB_CONTROL_HOLD is for recordings that a command has begun in a process (visit.h).
 * The connection stays open: the recording lasts as long as the client holds it. When
 * the client has shut down its side, or is gone, the process ends the recording, sends
 * a second reply, and listens no more. With a @text it is no recording that is held but
 * the runtime, by any number of clients: the process goes on listening as long as one of
 * them is there, by these options (options.h) when nothing is recorded. If it goes on for
 * somebody else, the result of the second reply is PB_CONTROL_STAYS.
 */
#define PB_CONTROL_STAYS 1
#define PB_CONTROL_KEEPERS 64 /* clients that keep the runtime */

/*
 * PB_CONTROL_WATCH: as SNAPSHOT, and the connection stays open. Behind the reply come
 * PB_CONTROL_SLOW, when a call that was recorded took that long or longer, however many
 * there were since the last time, and PB_CONTROL_STOPPED, when a function of stop_at has
 * stopped recording. One client at a time. The descriptor of the data file stays good
 * when the process is gone.
 */
#define PB_CONTROL_SLOW "slow"
#define PB_CONTROL_STOPPED "stopped"

#define PB_CONTROL_ATTACH_STRINGS 5
#define PB_CONTROL_SAID_MAX 1024

/* @files: PB_CONTROL_NAMES and PB_CONTROL_PROGRAM, those that come along */
struct pb_control_request {
	uint32_t version;
	uint32_t verb;
	uint32_t files;
	uint8_t proof[PB_CONTROL_PROOF];
	char text[PB_CONTROL_TEXT_MAX]; /* ended by NUL */
};

/*
 * @result: 0, for ARM, DISARM and UNDER the number of functions, or -errno:
 *          -EKEYREJECTED: the proof is not right. Nothing else is told.
 *          -EPROTONOSUPPORT: another version. -ENOSYS: an unknown verb.
 *          -EOPNOTSUPP: a threshold, and a tracer without durations.
 *          -EINVAL, -ERANGE: a threshold that is none. Of WATCH the same, and -EBUSY:
 *          somebody else watches.
 *          -EUNATCH: of what asks something of a recording: there is none, and programs
 *          are attached.
 *          -EBADF: other descriptors than @files and the verb say.
 *          -EINVAL: a file that does not hold names. -EFBIG: more than 64 MiB.
 *          Of ATTACH: the number of functions; errors were explained by lines.
 *          -ENOENT: there is no such function. -ENOEXEC: it cannot be loaded.
 *          -ETIMEDOUT: done, but a handler that was running before may be running
 *          still. -EAGAIN: nothing was changed, since a handler is running of a
 *          function that was to be armed again.
 *          Of HOLD: -EBUSY: somebody else has it. -ENOTTY: the recording began with
 *          the process, and ends with it. -EUSERS: too many clients keep the runtime.
 *          Of the second reply: -ETIMEDOUT: nothing
 *          is traced any more, but a handler may be running still.
 *          Others: patchbay_arm_filter() and patchbay_batch_commit(), or what
 *          opening the data file returned.
 * @waited_for: of -ETIMEDOUT and -EAGAIN, the thread that is in that handler, as the
 *          process calls it (gettid(2)); 0: one that is ending
 * The rest is as it is afterwards.
 */
struct pb_control_reply {
	uint32_t version;
	int32_t result;
	uint64_t armed; /* functions */
	uint64_t threshold_ns;
	uint32_t recording; /* 0: before start_at, or after stop_at */
	uint32_t waited_for;
	uint32_t overhead; /* pb_budget_overhead() */
	uint32_t roots;    /* functions beneath which is recorded; 0: everywhere */
	char tracer[PBD_NAME_MAX];
	char file[PATH_MAX];
};

#endif /* PATCHBAY_TRACE_CONTROL_H */
