# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts executed instructions between two marks. Runs a program of another architecture in QEMU,
which logs the address of each executed instruction. The counts are exact and equal in all runs,
but do not predict the time on a real machine."""
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import astuple, dataclass
from pathlib import Path

from . import BenchError


@dataclass(frozen=True)
class Isa:
    """An instruction set: patterns that classify llvm-mc's mnemonics, and the marks, which are
    instructions without effect that compilers never emit."""
    name: str
    emulator: str
    loads: str
    stores: str
    indirect: str
    direct: str
    calls: str
    returns: str
    mark_begin: int
    mark_end: int
    cpu: str  # an option of llvm-mc: a CPU with all instructions

    @property
    def triple(self):
        return f"{self.name}-linux-gnu"

    @property
    def root(self):
        """Returns the C library's folder in Debian's cross compilers."""
        return Path("/usr", self.triple)

    def missing(self):
        """Returns the reason why emulation is impossible, or None."""
        if not shutil.which(self.emulator):
            return f"no {self.emulator}: install qemu-user"
        if not (self.root / "lib").exists():
            return f"no C library in {self.root}"
        return None


# Returns do not count as branches, because the link stack predicts them.
ISAS = {isa.name: isa for isa in (
    Isa("powerpc64le", "qemu-ppc64le",
        r"p?l(?!i\b|is\b|a\b)\w*", r"p?st\w+", r"bctrl?", r"bl?",
        r"bl|bctrl", r"bc?lr",
        mark_begin=0x7f5ad378, mark_end=0x7f7bdb78,  # or 26,26,26; or 27,27,27
        cpu="pwr10"),
    Isa("aarch64", "qemu-aarch64", r"ld\w+", r"st\w+", r"blr|br", r"bl?",
        r"bl|blr", r"ret",
        mark_begin=0xd503281f, mark_end=0xd503283f,  # hint #64; hint #65
        cpu="generic"),
)}


@dataclass(frozen=True)
class Count:
    instructions: int = 0
    loads: int = 0
    stores: int = 0
    indirect: int = 0  # indirect branches, except returns
    direct: int = 0

    def __add__(self, other):
        return Count(*(a + b for a, b in zip(astuple(self), astuple(other))))

    def __sub__(self, other):
        return Count(*(a - b for a, b in zip(astuple(self), astuple(other))))


def _executed(log, isa):
    """Returns, for each pair of marks, addresses and words of the executed instructions in
    between. The log contains the words of each instruction once, and a line with the address
    for each execution."""
    words, intervals, current = {}, [], None
    instruction = []
    for line in log:
        if line.startswith("IN:"):
            instruction = []
        elif line.startswith("0x"):
            address, word = line.split()[:2]
            instruction.append(int(word, 16))
            if len(instruction) == 1:
                words[int(address[:-1], 16)] = instruction
        elif line.startswith("Trace "):
            address = int(line.split("/", 2)[1], 16)
            executed = words[address]
            if executed == [isa.mark_begin]:
                current = []
            elif executed == [isa.mark_end]:
                intervals.append(current)
                current = None
            elif current is not None:
                current.append((address, tuple(executed)))
    return intervals


def _mnemonics(tools, isa, instructions):
    text = "".join(
        " ".join(f"{byte:#04x}" for word in words for byte in word.to_bytes(4, "little"))
        + "\n" for words in instructions)
    run = subprocess.run(
        [tools.tool("llvm-mc"), "--disassemble", f"--triple={isa.triple}",
         f"--mcpu={isa.cpu}"], input=text, text=True, capture_output=True)
    lines = [line.split() for line in run.stdout.splitlines() if line.strip()]
    lines = [line for line in lines if line[0] != ".text"]
    if run.stderr:
        raise BenchError(f"llvm-mc cannot disassemble:\n{text}{run.stderr.strip()}")
    return {words: line[0] for words, line in zip(instructions, lines, strict=True)}


def count(isa, mnemonics):
    number = Counter(mnemonics)
    return Count(len(mnemonics), *(
        sum(n for name, n in number.items() if re.fullmatch(pattern, name))
        for pattern in (isa.loads, isa.stores, isa.indirect, isa.direct)))


def unpaired(isa, executed):
    """Counts returns that do not go to the instruction after the innermost call, and calls without
    a return. A CPU's link stack mispredicts such returns, and later returns after such calls."""
    stack, wrong = [], 0
    for (address, name), (following, _) in zip(executed, executed[1:]):
        if re.fullmatch(isa.calls, name):
            stack.append(address + 4)
        elif re.fullmatch(isa.returns, name) and following != address + 4:  # else not taken
            wrong += not stack or stack.pop() != following
    return wrong + len(stack)


def _one_by_one(emulator):
    """Returns the option that logs each instruction, which QEMU 8.1 renamed. QEMU 10 only knows
    the new name."""
    text = subprocess.run([emulator, "-help"], text=True, capture_output=True).stdout
    return "-one-insn-per-tb" if "-one-insn-per-tb" in text else "-singlestep"


def run(tools, isa, program, options=()):
    """Runs a program that prints a name for each pair of marks that it passes.
    Returns the count of each name."""
    return {name: count(isa, [mnemonic for _, mnemonic in executed])
            for name, executed in trace(tools, isa, program, options).items()}


def trace(tools, isa, program, options=()):
    """Runs a program like run(). Returns addresses and mnemonics of the executed instructions."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        command = [isa.emulator, "-L", str(isa.root), *options, _one_by_one(isa.emulator),
                   "-d", "in_asm,exec,nochain", "-D", str(log), str(program)]
        process = subprocess.run(command, text=True, capture_output=True)
        if process.returncode:
            raise BenchError(f"{' '.join(command)}: failed with status "
                             f"{process.returncode}\n{process.stderr.strip()}")
        with open(log) as file:
            intervals = _executed(file, isa)
    names = process.stdout.split()
    if len(names) != len(intervals) or not names:
        raise BenchError(f"{program}: {len(intervals)} pairs of marks for "
                         f"{len(names)} names")
    of = _mnemonics(tools, isa, sorted({words for interval in intervals
                                        for _, words in interval}))
    return {name: [(address, of[words]) for address, words in interval]
            for name, interval in zip(names, intervals)}
