# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running programs of another architecture on a whole emulated system."""
import dataclasses


class GuestError(Exception):
    """Why a program could not be run to its end. `code` is the exit status
    that run.py reports it with."""

    MISSING = 121   # something that the system needs is not on this machine
    BOOT = 122      # the kernel did not get as far as the program
    STOPPED = 123   # the kernel panicked or stopped while the program ran
    TIMEOUT = 124   # as of timeout(1)

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


PORTS = ("stdout", "stderr", "status")  # serial lines, in their order on the bus


@dataclasses.dataclass(frozen=True)
class Arch:
    name: str        # as of uname -m; what lies in the cache has this name
    e_machine: int   # of its ELF files
    qemu: str        # the emulator, and the Debian package that has it
    qemu_package: str
    machine: str
    cpu: str
    kernel_args: str
    sysroot: str     # its C library ("": the host's), and the Debian package that has it
    libc_package: str
    options: tuple = ()  # more, of the emulator
    first_port: int = 0  # the first of these lines that the console leaves


# x-vof and impdef leave out what costs time and no program can see: firmware,
# and the architected algorithm of pointer authentication. The capabilities are
# those that TCG does not emulate anyway.
#
# With the radix MMU, QEMU 7.2 forgets of a 64 KiB page that is invalidated only
# the first 4 KiB of what it has translated: once text is written to, and so
# copied, threads go on executing the former copy. The hash MMU flushes all.
ARCHES = {arch.name: arch for arch in (
    Arch("aarch64", 183, "qemu-system-aarch64", "qemu-system-arm", "virt",
         "max,pauth-impdef=on", "console=ttyAMA0",
         "/usr/aarch64-linux-gnu", "libc6-arm64-cross"),
    Arch("ppc64le", 21, "qemu-system-ppc64", "qemu-system-ppc",
         "pseries,x-vof=on,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,"
         "cap-ccf-assist=off", "power9", "console=hvc0 disable_radix",
         "/usr/powerpc64le-linux-gnu", "libc6-ppc64el-cross"),
    Arch("riscv64", 243, "qemu-system-riscv64", "qemu-system-riscv, or qemu-system-misc",
         "virt", "rv64",
         "console=ttynull earlycon=sbi keep_bootcon "
         "initcall_blacklist=of_platform_serial_driver_init",
         "/usr/riscv64-linux-gnu", "libc6-riscv64-cross"),
    # Emulated, too, since virtual machines have no KVM, or none that boots every kernel: for
    # settings that hold for a whole system. Libraries are the host's, each given as a file.
    Arch("x86_64", 62, "qemu-system-x86_64", "qemu-system-x86", "q35", "max",
         "console=ttyS0 no_timer_check", "", "libc6", first_port=1),
)}
