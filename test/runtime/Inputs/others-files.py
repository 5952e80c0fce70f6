# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""others-files.py rotation|watch PATCHBAY PROG: creates unrelated files beside a recording,
with names like those of the recording's files. Checks that each is unchanged after patchbay has
deleted old files of the recording."""
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

HOW, PATCHBAY, PROGRAM = sys.argv[1:]
WHOLE = re.compile(r"\d+\.\d{8}T\d{6}\.\d{3}Z\.pbd")
SNAPSHOT = re.compile(r"\d{8}T\d{6}\.\d{3}Z-time")
OLD = "20200101T000000.000Z"


def state(folder):
    """Returns type, link target and content of each path."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            if os.path.islink(path):
                found[path] = "-> " + os.readlink(path)
            elif os.path.isdir(path):
                found[path] = "folder"
            else:
                try:
                    with open(path, "rb") as file:
                        found[path] = hashlib.sha256(file.read()).hexdigest()
                except FileNotFoundError:
                    pass
    return found


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def whole_file(folder):
    """Returns the content of a complete file. The file may be removed at any time."""
    end = time.monotonic() + 600
    while time.monotonic() < end:
        for name in sorted(os.listdir(folder)):
            if WHOLE.fullmatch(name):
                try:
                    with open(os.path.join(folder, name), "rb") as file:
                        return file.read()
                except FileNotFoundError:
                    break
        time.sleep(0.01)
    raise AssertionError("no file is whole")


def put_files(folder, own, others):
    """Creates files. @own: the content of a file of this recording. @others: the content of
    another recording's file."""
    pid = int.from_bytes(others[24:28], "little")
    files = {name: b"notes\n" for name in (
        "7-notes.pbd", "7.pbd", "7.1.pbd", f"7.{OLD}.pbd", "7.1.spare.pbd")}
    files.update({name: own for name in (
        "baseline.pbd", "7.slow.pbd", "9.pbd", f"9.{OLD}.pbd", f"x.{OLD}.pbd")})
    files.update({f"{pid}.8.pbd": others, f"{pid}.{OLD}.pbd": others})
    for name, content in files.items():
        write(f"{folder}/{name}", content)
    write("elsewhere", own)
    for name in "10.pbd", f"10.{OLD}.pbd":
        os.symlink("../elsewhere", f"{folder}/{name}")
        files[name] = None
    os.mkdir(f"{folder}/11.{OLD}.pbd")
    files[f"11.{OLD}.pbd"] = None
    write(f"{folder}/11.{OLD}.pbd/thesis", b"precious\n")
    return {path: what for path, what in state(folder).items()
            if os.path.relpath(path, folder).split("/")[0] in files}


def rotation(command):
    # Create a file of another recording, which has ended.
    subprocess.run([PATCHBAY, "record", "-F", "often", "-t", "function", "--rotate-every", "1ms",
                    "-o", "other", "--", PROGRAM, "5"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    others = whole_file("other")
    os.makedirs("out", exist_ok=True)
    with subprocess.Popen([*command, PROGRAM, "999999"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        own = whole_file("out")
        before = put_files("out", own, others)
        seen = set()
        end = time.monotonic() + 600
        # Wait for more files than are kept, so that patchbay checks each file and deletes the
        # oldest ones.
        while len(seen) < 12 and time.monotonic() < end:
            seen.update(set(os.listdir("out")) - {os.path.relpath(p, "out") for p in before})
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
    assert len(seen) >= 12, seen
    left = state("out")
    for path, what in before.items():
        assert left.get(path) == what, (path, what, left.get(path))
    own = [path for path in left if path not in before and WHOLE.search(path)]
    assert 1 <= len(own) <= 4, own
    # The folder contains more than a recording, so `record` does not move it either.
    again = subprocess.run([PATCHBAY, "record", "-o", "out", "--", PROGRAM, "1"], text=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    assert again.returncode == 125 and "so the directory is left alone" in again.stderr, again
    assert state("out") == left and not os.path.exists("out.old")


def watch():
    with subprocess.Popen([PATCHBAY, "record", "--live", "--overwrite", "-F", "often", "-t",
                           "function_duration", "-o", "out", "--", PROGRAM, "999999"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdout.readline()
        with open(f"/proc/{process.pid}/task/{process.pid}/children",
                  encoding="utf-8") as file:
            pid = file.read().strip()
        subprocess.run([PATCHBAY, "live", "-p", pid, "--snapshot", "own"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(f"own/{pid}.pbd", "rb") as file:
            own = file.read()
        for number, (name, files) in enumerate({
                f"{OLD}-results": {"thesis": b"precious\n"},
                "20200101T120000Z-my-results": {"thesis": b"precious\n"},
                f"x{OLD}-slow": {f"{pid}.pbd": own},
                f"{OLD}-slower": {f"{pid}.pbd": own},
                f"{OLD}-slow": {"thesis": b"precious\n"},
                f"{OLD}-time": {f"{pid}.pbd": b"precious\n"},
                f"{OLD}-end": {f"{pid}.pbd": own, "notes": b"precious\n"},
                f"{OLD}-signal": {f"{pid}9.pbd": own},
        }.items()):
            os.makedirs(f"flight/{name}")
            for file, content in files.items():
                write(f"flight/{name}/{file}", content)
            assert number < 9
        os.symlink("../own", f"flight/{OLD}-stopped")
        before = {**state("flight"), **state("own")}
        with subprocess.Popen([PATCHBAY, "live", "-p", pid, "--watch", "flight", "--every",
                               "20ms", "--keep", "2"], stdout=subprocess.PIPE,
                              text=True) as watcher:
            for _ in range(8):
                watcher.stdout.readline()
            watcher.send_signal(signal.SIGINT)
            # The watcher's output ends when the watcher does.
            watcher.stdout.read()
        assert watcher.returncode == 0
        process.send_signal(signal.SIGTERM)
    left = {**state("flight"), **state("own")}
    for path, what in before.items():
        assert left.get(path) == what, (path, what, left.get(path))
    taken = [name for name in os.listdir("flight")
             if SNAPSHOT.fullmatch(name) and not name.startswith(OLD)]
    assert len(taken) == 2, taken


for folder in "out", "own", "other", "flight", "out.old":
    shutil.rmtree(folder, ignore_errors=True)
LIMITS = ["--rotate-every", "5ms", "--keep", "4"]
if HOW == "rotation":
    rotation([PATCHBAY, "record", "-F", "often", "-t", "function", *LIMITS, "-o", "out", "--"])
else:
    watch()
print("others' files are as they were")
