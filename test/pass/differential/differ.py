# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests programs and controls in one configuration each, and reports
differences with a script that reproduces them."""
import shlex
import shutil
import signal
import tempfile
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from program import UNITS, generate
from toolchain import (HERE, HOST, RUN_LIMIT, TARGETS, Configuration, SetupError,
                       ToolError, run)

# Time limit of the reference run in seconds. Most programs end in a few milliseconds, or
# never. Emulation is a hundred times as slow.
REFERENCE_LIMIT = 0.2
COMPILE_LIMIT = 120
CONTROL = HERE / "Inputs" / "wrong-type.c"
TRAPS = (-signal.SIGILL, -signal.SIGTRAP)


class Run:
    """The tests and their results."""

    def __init__(self, tools, keep_failures, time_limit=None):
        self.tools = tools
        self.keep_failures = keep_failures
        self.time_limit = time_limit
        self.started = time.monotonic()
        self.lock = threading.Lock()
        self.counts = Counter()

    def say(self, count, line):
        with self.lock:
            self.counts[count] += 1
            print(line, flush=True)

    def count(self, **counts):
        with self.lock:
            self.counts.update(counts)

    @property
    def seconds(self):
        return time.monotonic() - self.started

    def out_of_time(self):
        return self.time_limit is not None and self.seconds > self.time_limit


def outcome(tools, configuration, sources, output, uses_plugin, limit=RUN_LIMIT):
    """Builds and runs a program. uses_plugin says for each source whether it is compiled with
    the plugin. Returns the result of the last step and all commands."""
    objects = [output.with_suffix(f".{source.stem}.o") for source in sources]
    commands = [tools.compile_command(configuration, source, object, uses)
                for source, object, uses in zip(sources, objects, uses_plugin)]
    commands.append(tools.link_command(configuration, objects, output))
    for i, command in enumerate(commands):
        ended = run(command, COMPILE_LIMIT)
        if ended.status:
            step = f"compiling {sources[i].name}" if i < len(sources) else "linking"
            return replace(ended, words=f"{step}: clang {ended.words}"), commands[:i + 1]
    commands.append(tools.run_command(configuration, output))
    return run(commands[-1], limit), commands


def wrong_records(tools, objects, instrumented, untraced, image):
    """Reports functions whose record in the image is missing or unwanted."""
    expected = tools.defined([object for object, uses in zip(objects, instrumented) if uses])
    for name in untraced:
        expected.pop(name, None)
    if not expected:
        return "no function is to be instrumented, which tests nothing"
    try:
        recorded = tools.recorded(image)
    except ToolError as error:
        return str(error)
    if missing := sorted((expected - recorded).elements()):
        return f"no record of {' '.join(missing)}"
    if excess := sorted((recorded - expected).elements()):
        return f"a record too many of {' '.join(excess)}"
    return tools.verify(image)


def report(run_, count, configuration, fault, commands, stderr, work, kept, sources=()):
    """Reports and counts a fault, copies the sources, and writes a script that repeats the
    commands of the folder work."""
    kept = run_.keep_failures.absolute() / kept
    kept.mkdir(parents=True, exist_ok=True)
    for source in sources:
        shutil.copy(source, kept)
    lines = "".join(shlex.join(map(str, command)) + "\n" for command in commands)
    script = kept / f"{configuration.file_name}.sh"
    script.write_text(lines.replace(str(work), str(kept)))
    script.with_suffix(".stderr").write_text(stderr)
    run_.say(count, f"{count} {kept.name}: {configuration}: {fault}; to reproduce: sh {script}")


def test(run_, program, configuration, reference):
    """Tests one program in one configuration."""
    tools = run_.tools
    flavours = configuration.target.flavours
    configuration = replace(configuration,
                            flavour=flavours[program.flavour % len(flavours)])
    sources = [program.folder / unit for unit in UNITS]
    image = program.folder / configuration.file_name
    uses_plugin = [unit != program.plain_unit for unit in UNITS]
    ended, commands = outcome(tools, configuration, sources, image, uses_plugin)
    fault = None if ended.words == reference else f"{ended.words}, not {reference}"
    count = "FAIL"
    if not fault:
        fault = wrong_records(tools, [Path(command[-1]) for command in commands[:2]],
                              uses_plugin, program.untraced, image)
        commands.append(tools.verify_command(image))
    elif outcome(tools, configuration, sources, image.with_suffix(".stock"),
                 [False] * len(sources))[0].words == ended.words:
        count = "STOCK"
        fault += ", without the plugin, too"
    if fault:
        report(run_, count, configuration, fault, commands, ended.stderr, program.folder,
               f"seed-{program.seed}", [program.folder / "calls.h", *sources])
    run_.count(images=1)


def reference_program(tools, seed, folder):
    """Returns the first program of the seed that ends soon, and its output. The program is not
    optimized, because optimization may be the reason why a loop ends soon."""
    host = Configuration(TARGETS[HOST], "O0", kcfi=False)
    for attempt in range(100):
        program = generate(tools.csmith, seed, attempt, folder)
        sources = [folder / unit for unit in UNITS]
        image = folder / "reference"
        ended, commands = outcome(tools, host, sources, image, [False] * len(sources),
                                  REFERENCE_LIMIT)
        if not ended.status:
            return program, ended.words
        if commands[-1] != tools.run_command(host, image):
            raise SetupError(f"seed {seed}, {ended.words}: {ended.stderr}")
    raise SetupError(f"seed {seed}: no program that ends in {REFERENCE_LIMIT} s")


def test_program(run_, configurations, seed):
    if run_.out_of_time():
        return
    with tempfile.TemporaryDirectory(prefix="patchbay-differential-") as folder:
        program, reference = reference_program(run_.tools, seed, Path(folder))
        for configuration in configurations:
            test(run_, program, configuration, reference)
    run_.count(programs=1)


def test_control(run_, configuration):
    """Checks that kCFI traps only wrong calls of instrumented functions."""
    tools = run_.tools
    with tempfile.TemporaryDirectory(prefix="patchbay-differential-") as folder:
        image = Path(folder) / configuration.file_name
        ended, commands = outcome(tools, configuration, [CONTROL], image, [True])
        fault = None if ended.words == "prints 'returned 2'" else ended.words
        if not fault:
            fault = wrong_records(tools, [Path(commands[0][-1])], [True], (), image)
        if not fault:
            commands.append(tools.run_command(configuration, image, "wrong"))
            ended = run(commands[-1])
            if ended.status not in TRAPS:
                fault = f"a call of the wrong type {ended.words}"
        if fault:
            report(run_, "FAIL", configuration, fault, commands, ended.stderr, folder,
                   "control")
    run_.count(controls=1)


def require(tools, target):
    """Checks that programs of the target build and run without the plugin."""
    if target.name != HOST and not shutil.which(target.emulator[0]):
        raise SetupError(f"{target.emulator[0]} not found: install qemu-user, or leave "
                         f"{target.name} out of --targets")
    configuration = Configuration(target, "O1", kcfi=False)
    with tempfile.TemporaryDirectory(prefix="patchbay-differential-") as folder:
        ended, _ = outcome(tools, configuration, [CONTROL], Path(folder) / "probe", [False])
    if ended.words != "prints 'returned 2'":
        raise SetupError(
            f"{target.name}: {ended.words}: install libc6-dev-{target.library}-cross and "
            f"libgcc-12-dev-{target.library}-cross, or leave {target.name} out of "
            f"--targets\n{ended.stderr}")
