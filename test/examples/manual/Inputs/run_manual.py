#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of a page of the manual, from top to bottom, as a reader would.

    run_manual.py PAGE BUILD CLANG CLANGXX WORK

All blocks of a page that begin with "```sh" are one script, which runs in a folder with the
example's files. A block that begins with "```sh test=TEST" is run by TEST instead, a file below
test/. No other block may begin with a command. Installs Patchbay from the build tree BUILD into
WORK, and replaces clang-22 and clang++-22 by CLANG and CLANGXX.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

PAGE, BUILD, CLANG, CLANGXX, WORK = sys.argv[1:]
TEST = Path(__file__).resolve().parents[3]
# Wait until a started service has two threads, as it has when a reader types.
STARTED = 'until [ "$(ls /proc/$!/task | wc -l)" = 2 ]; do kill -0 $!; sleep 0.1; done\n'
COMMAND = re.compile(r"(patchbay|clang(\+\+)?(-22)?|sudo|kubectl|docker|cmake|sh|cd) ")


def script():
    """Returns the page's blocks as one script."""
    lines = []
    text = Path(PAGE).read_text(encoding="utf-8")
    for info, block in re.findall(r"^```(.*)\n((?:.*\n)*?)^```$", text, re.MULTILINE):
        if info == "sh":
            lines.append(block)
        elif found := re.fullmatch(r"sh test=(\S+)", info):
            if not (TEST / found[1]).is_file():
                sys.exit(f"{PAGE}: no such test: {found[1]}")
        elif COMMAND.match(block):
            sys.exit(f"{PAGE}: commands that no test runs:\n{block}")
    return re.sub(r"^\./service.* &( PID=\$!)?\n", lambda start: start[0] + STARTED,
                  "".join(lines), flags=re.MULTILINE)


def install(work):
    """Installs Patchbay, and a clang that finds patchbay.cfg without a path, as with packages."""
    subprocess.run(["cmake", "--install", BUILD, "--prefix", work / "installed"], check=True,
                   stdout=subprocess.DEVNULL)
    for name, real in ("clang-22", CLANG), ("clang++-22", CLANGXX):
        wrapper = work / "installed/bin" / name
        wrapper.write_text(f'#!/bin/sh\nexec {real} '
                           f'--config-user-dir={work}/installed/lib/patchbay "$@"\n')
        wrapper.chmod(0o755)


def main():
    commands = script()
    work = Path(WORK)
    shutil.rmtree(work, ignore_errors=True)
    install(work)
    folder = work / "page"
    (folder / "build").mkdir(parents=True)
    (folder / "build/release").symlink_to(BUILD)
    for file in Path(__file__).resolve().parents[1].glob("*.c*"):
        shutil.copy(file, folder)
    environment = dict(os.environ, HOME=WORK, PREFIX=str(work / "installed"), LC_ALL="C.UTF-8",
                       PATH=f"{work}/installed/bin:{os.environ['PATH']}")
    # Run in a separate process group, to end all processes that the page leaves running.
    done = subprocess.Popen(["bash", "-euxo", "pipefail", "-c", commands], cwd=folder,
                            env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        sys.exit(done.wait(timeout=1200))
    finally:
        try:
            os.killpg(done.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


main()
