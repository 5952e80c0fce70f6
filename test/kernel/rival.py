# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The other way to have CALL_OPS and CFI: room before each function, traced or
not, so that all hashes are at one distance. What callers, assembly and BPF would
have to know of it is missing here, so it comes to objects, not to a kernel."""
import os
import shlex
from concurrent.futures import ThreadPoolExecutor

from kernels import run

FLAGS = ("-fpatchable-function-entry=5,3", "-falign-functions=8")
FOLDERS = ("kernel", "mm")


def commands(kernel):
    """How the kernel's objects of C were compiled, by their paths in its folder."""
    for folder in FOLDERS:
        for file in sorted((kernel.out / folder).rglob(".*.o.cmd")):
            command = file.read_text().splitlines()[0].split(":=", 1)[1].split(";")[0]
            if command.rstrip().endswith(".c"):
                path = (file.parent / file.name[1:-len(".cmd")]).relative_to(kernel.out)
                yield path, shlex.split(command.replace("$$", "$"))


def build(kernel, out):
    """Compiles the objects of the kernel again, into a folder; returns their paths."""
    log = out / "make.log"
    out.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)

    def compile_one(path, command):
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        kept = [word for word in command if not word.startswith("-Wp,-MMD,")]
        at = kept.index("-o")
        run([*kept[:at], *FLAGS, "-o", out / path, *kept[at + 2:]], log,
            cwd=kernel.out, env=kernel.environment)
        return path

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda one: compile_one(*one), commands(kernel)))
