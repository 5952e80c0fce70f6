# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of another architecture in a whole emulated system."""
import dataclasses


class GuestError(Exception):
    """The reason why a program could not run to its end. `code` is the exit status of run.py
    for this reason."""

    MISSING = 121   # the machine lacks a file that the system needs
    BOOT = 122      # the kernel did not reach the program
    STOPPED = 123   # the kernel panicked or stopped while the program ran
    TIMEOUT = 124   # the status of timeout(1)

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


PORTS = ("stdout", "stderr", "status")  # serial lines, in their order on the bus


@dataclasses.dataclass(frozen=True)
class Arch:
    name: str        # as printed by uname -m; also the name of the folder in the cache
    e_machine: int   # in its ELF files
    qemu: str        # the emulator, and the Debian package that contains it
    qemu_package: str
    machine: str
    cpu: str
    kernel_args: str
    sysroot: str     # its C library ("": the host's), and the Debian package that contains it
    libc_package: str
    options: tuple = ()  # more options of the emulator
    first_port: int = 0  # the number of the first serial line that the console does not use


# x-vof and impdef make emulation faster: they replace the firmware, and the architected
# algorithm of pointer authentication. TCG does not emulate the disabled capabilities.
#
# QEMU 7.2 has a bug with the radix MMU: when a single 64 KiB page is invalidated, it drops
# only translations of the first 4 KiB. A write to text copies the page, so threads continue
# to execute the old copy. With the hash MMU, QEMU drops all translations.
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
    # For tests of system-wide settings. Emulated, because virtual machines may have no KVM, or
    # a KVM that does not boot every kernel. Libraries are the host's, each passed as a file.
    Arch("x86_64", 62, "qemu-system-x86_64", "qemu-system-x86", "q35", "max",
         "console=ttyS0 no_timer_check", "", "libc6", first_port=1),
)}
