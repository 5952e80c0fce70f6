# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Python with a PATH that has only the named tools.

    only-with.py FOLDER TOOL,TOOL SCRIPT ARGUMENTS...
"""
import os
import shutil
import sys

folder, tools, *command = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
for tool in filter(None, tools.split(",")):
    os.symlink(shutil.which(tool), os.path.join(folder, os.path.basename(tool)))
os.environ["PATH"] = folder
os.execv(sys.executable, [sys.executable, *command])
