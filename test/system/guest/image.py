# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The root file system of a guest: busybox, an init, the program and its files.

Each file has the same path as on the host, and the program starts in run.py's current folder,
so paths have the same meaning in guest and host."""
import glob
import os
import shlex
import struct

from . import PORTS, GuestError
from .cpio import Archive

# The ports are separate serial lines (machine.py), so that kernel messages on the console do
# not mix with the program's output. The program writes to pipes, so it buffers as under lit.
# init waits for the copies from pipes to lines; closing a serial line waits until it is
# empty. The kernel boots with one CPU, because other CPUs would only wait during the boot.
INIT = """\
#!/bin/sh
export PATH=/bin HOME=/ LC_ALL=C
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /tmp /dev/shm
for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
	[ ! -e $cpu ] || echo 1 >$cpu
done
for port in {stdout} {stderr} {status}; do stty -F /dev/ttyS$port raw -echo; done
mkfifo /dev/stdout.pipe /dev/stderr.pipe
cat /dev/stdout.pipe >/dev/ttyS{stdout} &
cat /dev/stderr.pipe >/dev/ttyS{stderr} &
echo up >/dev/ttyS{status}
(exec /command </dev/null >/dev/stdout.pipe 2>/dev/stderr.pipe)
status=$?
wait
echo "exit $status" >/dev/ttyS{status}
poweroff -f
"""


def build(arch, busybox, program, args, files):
    archive = Archive()
    archive.device("/dev/console", 5, 1)
    archive.directory("/proc")
    archive.directory("/sys")
    archive.file("/bin/busybox", busybox)
    archive.link("/bin/sh", "busybox")
    lines = {port: arch.first_port + i for i, port in enumerate(PORTS)}
    archive.file("/init", INIT.format(**lines).encode())
    program = os.path.abspath(program)
    command = f"#!/bin/sh\ncd {shlex.quote(os.getcwd())}\nexec {shlex.join([program, *args])}\n"
    archive.directory(os.getcwd())
    archive.file("/command", command.encode())
    interpreters = set()
    for path in (program, *files):
        content = _read(path)
        archive.file(os.path.abspath(path), content)
        interpreters.add(_interpreter(arch, path, content))
    for interpreter in interpreters - {None}:
        _add_libc(arch, archive, interpreter)
    return archive.finish()


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise GuestError(GuestError.MISSING, f"cannot read {path}: {error.strerror}")


def _interpreter(arch, path, content):
    """Returns the dynamic loader that an ELF file requires. Scripts require none."""
    if content[:4] != b"\x7fELF":
        return None
    machine, = struct.unpack_from("<H", content, 18)
    if content[4:6] != b"\2\1" or machine != arch.e_machine:
        raise GuestError(GuestError.MISSING, f"{path} is not a program for {arch.name}")
    phoff, = struct.unpack_from("<Q", content, 32)
    phentsize, phnum = struct.unpack_from("<HH", content, 54)
    for i in range(phnum):
        kind, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", content, phoff + i * phentsize)
        if kind == 3:  # PT_INTERP
            return os.fsdecode(content[offset:offset + size - 1])
    return None


def _add_libc(arch, archive, interpreter):
    if not arch.sysroot:
        archive.file(interpreter, _read(interpreter))
        return
    lib = os.path.join(arch.sysroot, "lib")
    loader = os.path.join(lib, os.path.basename(interpreter))
    if not os.path.exists(loader):
        raise GuestError(GuestError.MISSING, f"no C library for {arch.name} ({loader} not found): "
                                             f"install {arch.libc_package}")
    archive.file(interpreter, _read(loader))
    for path in glob.glob(os.path.join(lib, "*.so.*")):
        archive.file(os.path.join("/lib", os.path.basename(path)), _read(path))
