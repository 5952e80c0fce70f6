/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* To knock at the own process's gate, as handlers do when there is a file to finish. */
#include "gate.h"

#include "listen.h"
#include "ring.h"
#include "sys.h"

socklen_t pb_gate_address(const char *name, struct sockaddr_un *address)
{
	size_t length = 0;

	for (size_t i = 0; i < sizeof(address->sun_path); i++)
		address->sun_path[i] = '\0';
	address->sun_family = AF_UNIX;
	/* An abstract one begins with a NUL. */
	for (; name[length]; length++)
		address->sun_path[1 + length] = name[length];
	return (socklen_t)(length + 1 +
			   offsetof(struct sockaddr_un, sun_path));
}

void pb_gate_wake(const struct pb_control_point *point)
{
	struct sockaddr_un address;
	socklen_t size;
	int fd;

	if (!__atomic_load_n(&point->version, __ATOMIC_ACQUIRE))
		return;
	size = pb_gate_address(point->name, &address);
	fd = (int)pb_sys(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	pb_sys(SYS_sendto, fd, point->knock, sizeof(point->knock),
	       MSG_DONTWAIT | MSG_NOSIGNAL, &address, size);
	pb_sys(SYS_close, fd);
}

void pb_listen_wake(void)
{
	const struct pb_control_point *point =
		__atomic_load_n(&pb_control_point, __ATOMIC_ACQUIRE);

	if (point && !pb_untraced)
		pb_gate_wake(point);
}
