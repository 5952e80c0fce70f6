/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gate.h"

#include "message.h"
#include "system/sys.h"

#include <linux/filter.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The filter compares words of 4 bytes. */
#define NR_WORDS (PB_CONTROL_KNOCK / 4)

/* Instructions per word, and in total. */
#define PER_WORD 5
#define NR_CODE (2 + NR_WORDS * PER_WORD + 3)

/* Make a random name. The name is no secret. */
static int draw_name(char name[PB_CONTROL_NAME_MAX])
{
	uint64_t random[2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -errno;
	snprintf(name, PB_CONTROL_NAME_MAX, PB_CONTROL_NAME "%016llx%016llx",
		 (unsigned long long)random[0], (unsigned long long)random[1]);
	return 0;
}

/*
 * Writes a program for SO_ATTACH_FILTER (Linux's Documentation/networking/filter.rst) that
 * drops all packets except @secret. M[0] collects the bits in which words differ, so that
 * the run time is independent of the number of matching words.
 */
static void write_filter(struct sock_filter *code, const uint8_t *secret)
{
	const unsigned int nr = NR_WORDS * PER_WORD;
	uint32_t word;

	*code++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0);
	*code++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
					       PB_CONTROL_KNOCK, 0, nr + 2);
	for (unsigned int i = 0; i < NR_WORDS; i++) {
		memcpy(&word, secret + 4 * i, sizeof(word));
		/*
		 * Load M[0] into X. For the first word load the constant 0, because the
		 * kernel refuses to load M[0] before a store.
		 */
		*code++ = i ? (struct sock_filter)BPF_STMT(BPF_LDX | BPF_MEM, 0) :
			      (struct sock_filter)BPF_STMT(BPF_LDX | BPF_IMM, 0);
		*code++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						       4 * i);
		/* The filter loads words in the network's byte order. */
		*code++ = (struct sock_filter)BPF_STMT(
			BPF_ALU | BPF_XOR | BPF_K, ntohl(word));
		*code++ = (struct sock_filter)BPF_STMT(
			BPF_ALU | BPF_OR | BPF_X, 0);
		*code++ = (struct sock_filter)BPF_STMT(BPF_ST, 0);
	}
	*code++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
	/* Accept the packet. The operand is the number of bytes to keep. */
	*code++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
	*code = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
}

/* Returns the size of the address. An abstract address begins with NUL. */
static socklen_t set_address(const char *name, struct sockaddr_un *address)
{
	const size_t length = strlen(name);

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path + 1, name, length);
	return (socklen_t)(length + 1 + offsetof(struct sockaddr_un, sun_path));
}

/* Call this before the socket has a name, so that the filter checks all packets. */
static int set_filter(int fd, const uint8_t *secret)
{
	struct sock_filter code[NR_CODE];
	const struct sock_fprog program = { NR_CODE, code };
	int error;

	write_filter(code, secret);
	error = setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
			   sizeof(program));
	return error ? -errno : 0;
}

static int open_named(const char *name, const uint8_t *secret)
{
	struct sockaddr_un address;
	socklen_t size = set_address(name, &address);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd < 0)
		return -errno;
	error = set_filter(fd, secret);
	if (!error && bind(fd, (struct sockaddr *)&address, size))
		error = -errno;
	if (error)
		close(fd);
	return error ? error : fd;
}

int pb_gate_open(struct pb_control_point *point)
{
	char name[PB_CONTROL_NAME_MAX];
	int error = draw_name(name), fd;

	if (error)
		return error;
	if (getrandom(point->knock, sizeof(point->knock), 0) !=
	    sizeof(point->knock))
		return -errno;
	fd = open_named(name, point->knock);
	if (fd < 0)
		return fd;
	memcpy(point->name, name, sizeof(point->name));
	__atomic_store_n(&point->version, PB_CONTROL_VERSION, __ATOMIC_RELEASE);
	return fd;
}

static int has_option(int fd, int option, int wanted)
{
	int value;
	socklen_t size = sizeof(value);

	return !getsockopt(fd, SOL_SOCKET, option, &value, &size) &&
	       value == wanted;
}

int pb_gate_take(int gate)
{
	uint8_t secret[PB_CONTROL_KNOCK]; /* already verified by the filter */
	size_t nr = 1;
	int client;
	const ssize_t size = pb_receive(gate, secret, sizeof(secret), &client, &nr);

	if (size < 0)
		return (int)size;
	if (!nr)
		return -EINVAL;
	if (has_option(client, SO_DOMAIN, AF_UNIX) &&
	    has_option(client, SO_TYPE, SOCK_SEQPACKET))
		return client;
	close(client);
	return -EINVAL;
}
