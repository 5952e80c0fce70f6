# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boots a guest in QEMU and waits for its end.

All guest CPUs take turns in one thread of the host. With one thread per CPU, a store to text
may have no effect: QEMU first drops the translations of the page, then stores. If another CPU
translates the page in between, this CPU keeps executing the old code. A turn takes up to 100
ms, so a program whose CPUs wait for each other is slow. with_mips() ends turns at the guest's
next clock tick, which comes earlier if the guest executes fewer instructions per second."""
import dataclasses
import math
import os
import re
import selectors
import shutil
import subprocess
import time

from . import PORTS, GuestError

DONE = re.compile(rb"up\nexit (\d+)\n")  # what init writes to the status port
LOG_LINES = 20


def with_mips(arch, mips):
    """Returns arch with a clock of this speed: an instruction takes 2^shift ns."""
    shift = round(math.log2(1000 / mips))
    return dataclasses.replace(arch, options=(*arch.options, "-icount",
                                              f"shift={shift},sleep=off"))


def run(arch, kernel, initramfs, console, options, sinks):
    """Returns the program's exit status. `sinks` receive stdout and stderr as they arrive.
    `console` is the file for kernel messages."""
    if not shutil.which(arch.qemu):
        raise GuestError(GuestError.MISSING, f"{arch.qemu} not found: install {arch.qemu_package}")
    command = [arch.qemu, "-nodefaults", "-display", "none", "-no-reboot",
               "-accel", "tcg,thread=single", "-M", arch.machine,
               "-cpu", options.cpu or arch.cpu, "-smp", str(options.cpus), "-m", "2G",
               "-kernel", kernel, "-initrd", initramfs, "-append",
               f"{arch.kernel_args} maxcpus=1 quiet oops=panic panic=-1 {options.kernel_args}",
               "-serial", f"file:{console}", *arch.options]
    readers, writers = zip(*(os.pipe() for _ in PORTS))
    for port, writer in zip(PORTS, writers):
        command += ["-chardev", f"file,id={port},path=/dev/fd/{writer}",
                    "-device", f"pci-serial,chardev={port}"]
    qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, pass_fds=writers)
    try:
        for writer in writers:
            os.close(writer)
        status, in_time = _follow(qemu, dict(zip(readers, PORTS)), options, sinks)
    finally:
        qemu.kill()
        complaint = qemu.communicate()[1].decode(errors="replace")
        for reader in readers:
            os.close(reader)
    return _judge(status, in_time, options, lambda: _log(console, complaint))


def _follow(qemu, readers, options, sinks):
    """Returns the output of the status port, and whether the guest finished in time."""
    deadline = time.monotonic() + options.boot_timeout
    status = b""
    with selectors.DefaultSelector() as selector:
        for reader, port in readers.items():
            selector.register(reader, selectors.EVENT_READ, port)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                return status, False
            for key, _ in selector.select(left):
                data = os.read(key.fd, 65536)
                if not data:
                    selector.unregister(key.fd)
                elif key.data == "status":
                    if not status:
                        deadline = time.monotonic() + options.timeout
                    status += data
                    if DONE.fullmatch(status):
                        qemu.kill()  # powering off prints nothing more
                else:
                    sinks[key.data].write(data)
                    sinks[key.data].flush()
    return status, True


def _judge(status, in_time, options, log):
    done = DONE.fullmatch(status)
    if done:
        return int(done[1])
    if not status:
        late = "" if in_time else f" within {options.boot_timeout} s"
        raise GuestError(GuestError.BOOT, f"the system did not boot{late}{log()}")
    if not in_time:
        raise GuestError(GuestError.TIMEOUT,
                         f"the program did not end within {options.timeout} s")
    raise GuestError(GuestError.STOPPED, f"the system stopped before the program ended{log()}")


def _log(console, complaint):
    """QEMU's error messages, and the kernel's panic message or, without a panic, its last lines."""
    lines = complaint.splitlines()
    if os.path.exists(console):
        with open(console, errors="replace") as file:
            said = file.read().splitlines()
        panic = [i for i, line in enumerate(said) if "Kernel panic" in line]
        lines += said[panic[0]:][:LOG_LINES] if panic else said[-LOG_LINES:]
    return "".join(f"\n| {line}" for line in lines)
