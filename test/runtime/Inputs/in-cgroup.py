# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""in-cgroup.py GROUP PROG -- COMMAND...: creates the control group GROUP, in any hierarchy that
permits this, and runs two processes of PROG in the group while COMMAND runs. FOLDER in COMMAND
is replaced by the group's folder. Exits with COMMAND's status."""
import os
import subprocess
import sys


def roots():
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        for line in file:
            if line.split(" - ")[1].split()[0] in ("cgroup", "cgroup2"):
                yield line.split()[4]


def make(group):
    for root in roots():
        folder = f"{root}/{group}"
        try:
            os.makedirs(folder, exist_ok=True)
            probe = subprocess.Popen(["sleep", "1000"])
            try:
                with open(f"{folder}/cgroup.procs", "w", encoding="utf-8") as file:
                    file.write(str(probe.pid))
                return folder
            finally:
                probe.kill()
                probe.wait()
        except OSError:
            continue
    return None


def remove(folder, levels):
    for _ in range(levels):
        os.rmdir(folder)
        folder = os.path.dirname(folder)


def main():
    split = sys.argv.index("--")
    group, *command = sys.argv[1:split]
    folder = make(group)
    if not folder:
        sys.exit("no group can be made")
    if command == ["can"]:
        remove(folder, group.count("/") + 1)
        return 0
    programs = []
    try:
        for _ in range(2):
            program = subprocess.Popen(command, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
            programs.append(program)
            assert program.stdout.readline()
            with open(f"{folder}/cgroup.procs", "w", encoding="utf-8") as file:
                file.write(str(program.pid))
        words = [word.replace("FOLDER", folder) for word in sys.argv[split + 1:]]
        return subprocess.run(words, timeout=600, check=False).returncode
    finally:
        for program in programs:
            program.kill()
            program.wait()
        remove(folder, group.count("/") + 1)


sys.exit(main())
