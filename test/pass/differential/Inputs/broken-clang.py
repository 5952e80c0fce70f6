#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs $CLANG, but what it makes is wrong as $BROKEN says:

    records   functions are not instrumented
    output    instrumented programs print something else
    compiler  instrumented programs are not compiled
    stock     optimized programs print something else
"""
import os
import sys
from pathlib import Path

arguments = sys.argv[1:]
broken = os.environ["BROKEN"]
instrumented = any(argument.startswith("-fplugin=") for argument in arguments)
if broken == "records":
    arguments = [argument for argument in arguments if not argument.startswith("-fplugin=")]
elif broken == "compiler" and instrumented:
    sys.exit("error: broken")
elif (broken == "output" and instrumented or broken == "stock" and "-O2" in arguments) \
        and "-c" in arguments:
    arguments += ["-include", str(Path(__file__).parent / "no-sort.h")]
os.execv(os.environ["CLANG"], [os.environ["CLANG"], *arguments])
