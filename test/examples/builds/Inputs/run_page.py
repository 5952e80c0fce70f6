#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the lines of a page in a clean folder, as a reader would.

    run_page.py PAGE BUILD CLANG WORK [OPTION...]
PAGE is a folder beside Inputs. Installs Patchbay from the build tree BUILD into WORK, and
replaces clang-22 by CLANG. Adds the options after -O of the page. Copies the files of
Inputs/PAGE, which a machine without a network needs, into the page's folder.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGE, BUILD, CLANG, WORK, *OPTIONS = sys.argv[1:]
FOLDER = Path(__file__).resolve().parent.parent / PAGE
NO_C = {"rust", "cargo", "go"}


def main():
    work = Path(WORK)
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run(["cmake", "--install", BUILD, "--prefix", work / "installed"], check=True,
                   stdout=subprocess.DEVNULL)
    clean = work / PAGE
    shutil.copytree(FOLDER, clean)
    if PAGE not in NO_C:
        shutil.copy(FOLDER.parent / "words.c", clean)
    if (here := Path(__file__).resolve().parent / PAGE).is_dir():
        shutil.copytree(here, clean, dirs_exist_ok=True)
    page = (FOLDER / "README.md").read_text()
    commands = re.search(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    if len(commands.splitlines()) > 3:
        sys.exit(f"{FOLDER}/README.md: more than three lines")
    if OPTIONS:
        commands = commands.replace(" -O ", f" -O {' '.join(OPTIONS)} ", 1)
    # Use the user's environment, to find the language's own caches.
    environment = dict(os.environ, CFG=str(work / "installed/lib/patchbay/patchbay.cfg"),
                       PATH=f"{work}/installed/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    for name in ("CFLAGS", "LDFLAGS", "RUSTFLAGS"):
        environment.pop(name, None)
    done = subprocess.run(["sh", "-euc", commands.replace("clang-22", CLANG)], cwd=clean,
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, timeout=300)
    print(done.stdout)
    sys.exit(done.returncode)


main()
