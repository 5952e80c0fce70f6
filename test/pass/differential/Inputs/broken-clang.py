#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs $CLANG and breaks its output as $BROKEN says:

    records   functions are not instrumented
    bits      the first record of an image has a bit set that must be zero
    output    instrumented programs print something else
    compiler  compiling instrumented programs fails
    hang      compiling instrumented programs does not end
    stock     optimized programs print something else
"""
import os
import subprocess
import sys
import time
from pathlib import Path

arguments = sys.argv[1:]
broken = os.environ["BROKEN"]
instrumented = any(argument.startswith("-fplugin=") for argument in arguments)
if broken == "records":
    arguments = [argument for argument in arguments if not argument.startswith("-fplugin=")]
elif broken == "compiler" and instrumented:
    sys.exit("error: broken")
elif broken == "hang" and instrumented:
    time.sleep(10**6)
elif (broken == "output" and instrumented or broken == "stock" and "-O2" in arguments) \
        and "-c" in arguments:
    arguments += ["-include", str(Path(__file__).parent / "no-sort.h")]
if broken != "bits" or "-c" in arguments or "-o" not in arguments:
    os.execv(os.environ["CLANG"], [os.environ["CLANG"], *arguments])

image = arguments[arguments.index("-o") + 1]
sites = Path(f"{image}.sites")
subprocess.run([os.environ["CLANG"], *arguments], check=True)
dumped = subprocess.run(["llvm-objcopy", f"--dump-section=patchbay_sites={sites}", image],
                        stderr=subprocess.DEVNULL)
if dumped.returncode == 0:
    records = bytearray(sites.read_bytes())
    records[15] |= 0x80
    sites.write_bytes(records)
    subprocess.run(["llvm-objcopy", f"--update-section=patchbay_sites={sites}", image],
                   check=True)
