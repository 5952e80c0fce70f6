// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kexec KERNEL INITRD ARGUMENTS: boots that kernel from this one.
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel, initrd;

	if (argc != 4)
		return 2;
	kernel = open(argv[1], O_RDONLY);
	initrd = open(argv[2], O_RDONLY);
	if (kernel < 0 || initrd < 0 ||
	    syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[3]) + 1, argv[3], 0UL)) {
		perror("kexec");
		return 1;
	}
	reboot(LINUX_REBOOT_CMD_KEXEC);
	perror("reboot");
	return 1;
}
