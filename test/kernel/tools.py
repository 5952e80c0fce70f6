# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expected output of Debian's programs on our kernel, and of `patchbay` for a program's
calls together with the kernel calls that they make."""
import base64
import gzip
import io
import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

CALLS = 2000  # the number of calls that guest/multi.c makes


def bpftrace(text):
    def found(pattern):
        seen = re.search(pattern, text, re.MULTILINE)
        return seen and seen[1]

    version, parent = found(r"^bpftrace (v\S+)"), found(r"^parent: (\d+)")
    printed = found(r"^(\d+)$") or ""
    yield (f"bpftrace {version} traces a function with fentry: {found(r'^@entries: (.*)')} calls",
           found(r"^@entries: (\d+)$") == str(CALLS), text)
    yield ("bpftrace reads with fexit what the function returned",
           bool(parent) and found(rf"^@parent\[{parent}\]: (\d+)$") == str(CALLS), text)
    yield ("bpftrace reads an argument",
           found(r"^@written: (\d+)$") == str(len(printed) + 1), text)
    yield "when bpftrace has ended no function is traced", "\nleft: 0\n" in text, text[-500:]


def file(text, name):
    """Returns the file that a script printed in its output; empty if the output is damaged."""
    found = re.search(rf"^file: {name}\n(.*?)^end of file$", text, re.MULTILINE | re.DOTALL)
    try:
        return gzip.decompress(base64.b64decode(found[1])) if found else b""
    except (OSError, EOFError, ValueError):
        return b""


def command(*words, stderr=subprocess.STDOUT):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=stderr, check=False, text=True)
    return done.stdout if done.returncode == 0 else f"{done.stdout}\nexit code {done.returncode}"


def read_json(*words):
    try:
        return json.loads(command(*words, stderr=subprocess.DEVNULL))
    except ValueError:
        return {}


# The work of the program in guest/both.c, in the order of time: its own calls, and in each
# call the kernel call that it makes.
BENEATH = {"open_input": "do_sys_openat2", "read_input": "ksys_read"}


def both(text, patchbay, out):
    """Imports the kernel's calls into the program's recording, once from the kernel's own text
    and once from trace-cmd's."""
    for name in ("kernel", "trace-cmd"):
        (out / f"{name}.txt").write_bytes(file(text, name))
    recording = out / "both"
    shutil.rmtree(recording, ignore_errors=True)
    try:
        recording.mkdir()
        with tarfile.open(fileobj=io.BytesIO(file(text, "recording"))) as tar:
            for member in tar:
                if member.isfile():
                    path = recording / Path(member.name).name
                    path.write_bytes(tar.extractfile(member).read())
    except tarfile.TarError as error:
        yield "a program records its calls in the guest", False, f"{error}\n{text[-2000:]}"
        return
    said = command(patchbay, "import", "--add", out / "kernel.txt", "-o", recording)
    yield (f"the kernel's calls are beside the program's: {said.strip()}",
           "exit code" not in said, said)
    if "exit code" in said:
        return
    events = read_json(patchbay, "dump", "--chrome", recording).get("traceEvents", [])
    for caller, called in BENEATH.items():
        inside = within(events, caller, called)
        yield (f"on one time line: in each of {len(inside)} calls of the program's {caller}() there"
               f" are the kernel's of {called}(), {sum(inside)} in all",
               len(inside) == 3 and all(inside), str(events)[:2000])
    page = out / "both.html"
    page.unlink(missing_ok=True)
    said = command(patchbay, "report", f"--html={page}", recording)
    yield ("a page is made of both", page.exists() and "exit code" not in said, said)
    graph = command(patchbay, "graph", recording)
    yield ("a call graph has both", all(f" {name}\n" in graph for pair in BENEATH.items()
                                        for name in pair), graph[:3000])
    yield from same(patchbay, out)


def within(events, caller, called):
    """Counts the kernel calls inside each call of the program. A Perfetto trace shows program
    and kernel as two processes with one thread."""
    calls = [event for event in events if event.get("name") == called and event["pid"] == 0]
    return [sum(call["tid"] == event["tid"] and event["ts"] - 1 <= call["ts"]
                and call["ts"] + call["dur"] <= event["ts"] + event["dur"] + 1
                for call in calls)
            for event in events if event.get("name") == caller and event["pid"] != 0]


def same(patchbay, out):
    """Checks that importing trace.dat and importing the kernel's text give the same calls."""
    found = {}
    for name in ("kernel", "trace-cmd"):
        data = out / f"{name}.data"
        said = command(patchbay, "import", out / f"{name}.txt", "-o", data)
        found[name] = {row["name"]: (row["calls"], row.get("total_ns", 0)) for row in
                       read_json(patchbay, "report", "--json", data).get("functions", [])}
    ours, theirs = found.values()
    # trace-cmd may print one digit more than the kernel. Unfinished calls last until the last
    # line, whose time is in microseconds.
    other = [name for name, (calls, total) in ours.items()
             if theirs.get(name, (0, 0))[0] != calls or abs(theirs[name][1] - total) > 10 * calls + 1000]
    yield (f"'trace-cmd report' of the same buffer has the same {len(ours)} functions, calls and"
           " times", len(ours) > 20 and ours.keys() == theirs.keys() and not other,
           "; ".join(other) or said)
