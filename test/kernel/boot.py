# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boots a kernel in QEMU, in the guest of test/system, and runs scripts of
guest/ in it."""
import dataclasses
import io
import os
import re
import sys
from argparse import Namespace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system"))
from guest import ARCHES, Arch, GuestError, image, machine  # noqa: E402
from guest.cpio import Archive  # noqa: E402

# Time in the guest counts executed instructions, one per nanosecond, and skips periods
# in which all CPUs sleep. Load on the host does not change these times. The console
# has the whole log from the first instruction on, which helps if a kernel does not
# boot.
#
# RISC-V: with -icount QEMU 7.2 makes no progress once a second CPU exists. Its serial line
# would be a ttyS, which the program uses: the driver of the first messages also writes all
# others.
LOG = "earlycon ignore_loglevel log_buf_len=8M"
ICOUNT = ("-icount", "shift=0,sleep=off")
GUESTS = {
    "arm64": dataclasses.replace(
        ARCHES["aarch64"], kernel_args=f"console=ttyAMA0 {LOG} nokaslr", options=ICOUNT),
    "ppc64le": dataclasses.replace(
        ARCHES["ppc64le"], options=ICOUNT,
        kernel_args="console=hvc0 disable_radix ignore_loglevel log_buf_len=8M"),
    "riscv": dataclasses.replace(
        ARCHES["riscv64"], kernel_args=f"console=ttynull {LOG} keep_bootcon", options=ICOUNT),
    "x86-64": Arch(
        "x86_64", 62, "qemu-system-x86_64", "qemu-system-x86", "q35", "max",
        "console=ttyS0 earlyprintk=serial,ttyS0,115200 ignore_loglevel log_buf_len=8M no_timer_check",
        "/usr/lib/x86_64-linux-gnu", "libc6", first_port=1),
}

CPUS = {"arm64": 2, "ppc64le": 1, "riscv": 1, "x86-64": 2}

# Time limits in seconds, sufficient on a busy machine.
BOOT_TIMEOUT, TIMEOUT = 1800, 10800

PRELUDE = """\
#!/bin/sh
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
mount -t securityfs securityfs /sys/kernel/security
mkdir -p /etc
printf 'root:x:0:\nusers:x:100:\n' >/etc/group
printf 'root:x:0:0::/:/bin/sh\nuser:x:100:100::/:/bin/sh\n' >/etc/passwd
mkdir -p /lib/modules
ln -s {modules} /lib/modules/$(uname -r)
depmod
export {environment}
"""


class Sink(io.BytesIO):
    """Stores its input, and copies the input to a file as it arrives."""

    def __init__(self, path):
        super().__init__()
        self.copy = open(path, "wb", buffering=0)

    def write(self, data):
        self.copy.write(data)
        return super().write(data)


@dataclasses.dataclass(frozen=True)
class Machine:
    """The machine on which a kernel boots."""
    guest: Arch
    cpus: int
    cpu: str | None = None  # the model; None for the architecture's default

    @classmethod
    def usual(cls, arch):
        return cls(GUESTS[arch], CPUS[arch])

    def with_cpus(self, cpus):
        """Returns a machine whose CPUs run in parallel, with the host's time."""
        return dataclasses.replace(
            self, cpus=cpus, guest=dataclasses.replace(self.guest, options=()))

    def with_pace(self, shift):
        """Returns a machine on which an instruction takes 2**shift ns. Time limits then do not
        depend on the host's load, and the guest's waits cost no host time. With 0, a tracer
        that writes on each clock tick leaves no time for other work."""
        return dataclasses.replace(self, guest=dataclasses.replace(
            self.guest, options=("-icount", f"shift={shift},sleep=off")))

    def with_options(self, *options):
        """Returns a machine with additional QEMU options."""
        return dataclasses.replace(self, guest=dataclasses.replace(
            self.guest, options=(*self.guest.options, *options)))

    def with_model(self, cpu):
        return dataclasses.replace(self, cpu=cpu)

    def with_args(self, args):
        """Returns a machine with different kernel arguments."""
        return dataclasses.replace(self, guest=dataclasses.replace(
            self.guest, kernel_args=args))

    def anywhere(self):
        """Returns a machine that loads the kernel at a random address in each boot, if the
        kernel supports that."""
        return self.with_args(self.guest.kernel_args.replace(" nokaslr", ""))

    def without_startup_tests(self):
        """Returns a machine without ftrace's start-up tests, which take most of a boot. Any
        running tracer, even the nop tracer, prevents these tests."""
        return self.with_args(f"{self.guest.kernel_args} ftrace=nop")


def boot(on, busybox, kernel, folder, scripts, files, environment, trees=()):
    """Runs the scripts one by one, and returns the output of each. `folder` holds
    temporary files and a copy of all output. Each tree is copied to the guest, with its
    symbolic links."""
    folder.mkdir(parents=True, exist_ok=True)
    variables = " ".join(f"{name}={value}" for name, value in environment.items())
    program = PRELUDE.format(modules=kernel.out, environment=variables or "LC_ALL=C")
    for script in scripts:
        path = HERE / "guest" / f"{script}.sh"
        files = [*files, path]
        program += f"echo '== {script}'\nsh {path} 2>&1\n"
    program += "echo '== end'\n"
    (folder / "program").write_text(program)
    initramfs = folder / "initramfs"
    with open(initramfs, "wb") as file:
        file.write(image.build(on.guest, busybox.read_bytes(), folder / "program", [], files))
        # The kernel unpacks all archives of a file, one after another.
        for tree in trees:
            file.write(packed(tree))
    sinks = {"stdout": Sink(folder / "output"), "stderr": Sink(folder / "errors")}
    try:
        machine.run(on.guest, kernel.image, initramfs, folder / "console",
                    Namespace(cpus=on.cpus, cpu=on.cpu, kernel_args="",
                              boot_timeout=BOOT_TIMEOUT, timeout=TIMEOUT), sinks)
    finally:
        os.unlink(initramfs)
    return sections(sinks["stdout"].getvalue().decode(errors="replace"))


# Parts of a tree that the guest does not need.
UNUSED = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info",
          "usr/share/lintian", "usr/lib/python3", "usr/include")


def packed(tree):
    archive = Archive()
    for path, folders, names in os.walk(tree):
        path = Path(path)
        folders[:] = [name for name in folders
                      if str((path / name).relative_to(tree)) not in UNUSED]
        for name in [*folders, *names]:
            if (path / name).is_symlink():
                archive.link(path / name, os.readlink(path / name))
            elif (path / name).is_dir():
                archive.directory(path / name)
            elif (path / name).is_file():
                archive.file(path / name, (path / name).read_bytes())
    return archive.finish()


def sections(text):
    parts = re.split(r"^== (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))
