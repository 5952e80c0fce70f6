# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""swap-dir.py FOLDER RECORD...: runs RECORD, which deletes FOLDER/data.old, and meanwhile
replaces this directory by a link to FOLDER/other. Fails unless the link was made in time and
the content of FOLDER/other is unchanged."""
import ctypes
import os
import subprocess
import sys

FILES = 2000
IN_OPEN = 0x20
AT_FDCWD = -100
RENAME_EXCHANGE = 2
folder, *record = sys.argv[1:]
for name in ("data", "data.old", "other"):
    os.makedirs(f"{folder}/{name}")
for name in ("data/1.pbd", "other/1.pbd", "other/kept"):
    open(f"{folder}/{name}", "w").close()
for number in range(FILES):
    open(f"{folder}/data.old/{number:04}.pbd", "w").close()

os.symlink(f"{folder}/other", f"{folder}/gone")
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(os.O_CLOEXEC)
libc.inotify_add_watch(watch, os.fsencode(f"{folder}/data.old/0000.pbd"), IN_OPEN)
command = subprocess.Popen(record)
os.read(watch, 4096)
# One system call, because the command makes a new data.old as soon as there is none.
if libc.renameat2(AT_FDCWD, os.fsencode(f"{folder}/data.old"), AT_FDCWD,
                  os.fsencode(f"{folder}/gone"), RENAME_EXCHANGE):
    sys.exit(f"not swapped: {os.strerror(ctypes.get_errno())}")
in_time = len(os.listdir(f"{folder}/gone"))
status = command.wait(100)
print(f"swapped with {in_time} files there, status {status}")
if not in_time or sorted(os.listdir(f"{folder}/other")) != ["1.pbd", "kept"]:
    sys.exit(f"left in the other directory: {os.listdir(f'{folder}/other')}")
