# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of another architecture in a whole emulated system."""
import dataclasses


class GuestError(Exception):
    """The reason why a program could not run to its end. `code` is the exit status of
    run.py for it."""

    MISSING = 121   # the machine lacks a file that the system needs
    BOOT = 122      # the kernel did not reach the program
    STOPPED = 123   # the kernel panicked or stopped while the program ran
    TIMEOUT = 124   # as timeout(1) returns

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


PORTS = ("stdout", "stderr", "status")  # serial lines, in their order on the bus


@dataclasses.dataclass(frozen=True)
class Arch:
    name: str        # as printed by uname -m; files in the cache have this name
    e_machine: int   # in its ELF files
    qemu: str        # the emulator, and the Debian package that contains it
    qemu_package: str
    machine: str
    cpu: str
    kernel_args: str
    sysroot: str     # its C library ("": the host's), and the Debian package that contains it
    libc_package: str
    options: tuple = ()  # more options of the emulator
    first_port: int = 0  # the first of these lines that the console does not use


# x-vof and impdef avoid slow parts that no program can notice: firmware, and the
# architected algorithm of pointer authentication. The capabilities are those that
# TCG does not emulate anyway.
#
# QEMU 7.2 has a bug with the radix MMU: if a 64 KiB page is invalidated alone, it drops
# translations of the first 4 KiB only. After a write to text, which copies the page,
# threads continue to execute the old copy. The hash MMU flushes all.
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
    # Emulated, too, since virtual machines have no KVM, or one that does not boot every kernel.
    # For system-wide settings. The libraries are the host's, each passed as a file.
    Arch("x86_64", 62, "qemu-system-x86_64", "qemu-system-x86", "q35", "max",
         "console=ttyS0 no_timer_check", "", "libc6", first_port=1),
)}
