# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Debian's programs must show on our kernel, and what our command makes of the
calls of a program and of the kernel beneath it."""
import base64
import io
import json
import re
import subprocess
import tarfile

CALLS = 2000  # that guest/multi.c makes


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


def part(text, name):
    found = re.search(rf"^text: {name}\n(.*?)^end of text$", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def command(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          text=True)
    return done.stdout if done.returncode == 0 else f"{done.stdout}\nexit code {done.returncode}"


# What the program of guest/both.c does, in the order of time: its own calls, and in each
# the one of the kernel's that it is for.
BENEATH = {"open_input": "do_sys_openat2", "read_input": "ksys_read"}


def both(text, patchbay, out):
    """The program's recording, and beside it the kernel's calls by its own text; and
    these by trace-cmd's text."""
    for name in ("kernel", "trace-cmd"):
        (out / f"{name}.txt").write_text(part(text, name))
    recording = out / "both"
    command("rm", "-rf", recording)
    try:
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(part(text, "recording")))) as tar:
            tar.extractall(out, filter="data")
    except (tarfile.TarError, EOFError, ValueError) as error:
        yield "a program records its calls in the guest", False, f"{error}\n{text[-2000:]}"
        return
    said = command(patchbay, "import", "--add", out / "kernel.txt", "-o", recording)
    yield (f"the kernel's calls are beside the program's: {said.strip()}",
           bool(re.search(r"^patchbay: [1-9]\d* calls of", said)), said)
    replayed = command(patchbay, "replay", recording)
    for caller, called in BENEATH.items():
        inside = re.findall(rf"\| +{caller}\(.*?/\* {caller} \*/", replayed, re.DOTALL)
        have = sum(f" {called}(" in each for each in inside)
        yield (f"in each of {len(inside)} calls of the program's {caller}() there is one of the"
               f" kernel's {called}()", 0 < len(inside) == have, replayed[:3000])
    page = out / "both.html"
    command(patchbay, "report", f"--html={page}", recording)
    html = page.read_text() if page.exists() else ""
    yield ("a page shows both", all(name in html for pair in BENEATH.items() for name in pair),
           html[:1000])
    graph = command(patchbay, "graph", recording)
    yield ("a call graph has both", all(f" {name}\n" in graph for pair in BENEATH.items()
                                        for name in pair), graph[:3000])
    yield from same(patchbay, out)


def same(patchbay, out):
    """What was read of trace.dat is what was read of the kernel's text."""
    found = {}
    for name in ("kernel", "trace-cmd"):
        data = out / f"{name}.data"
        said = command(patchbay, "import", out / f"{name}.txt", "-o", data)
        found[name] = said if "exit code" in said else command(patchbay, "report", "--json", data)
    try:
        ours, theirs = (sums(json.loads(text)) for text in found.values())
    except ValueError:
        ours, theirs = {}, {}
    # Where the kernel has no room for all digits, trace-cmd has one more.
    other = [name for name, (calls, total) in ours.items()
             if theirs.get(name, (0, 0))[0] != calls or abs(theirs[name][1] - total) > 10 * calls]
    yield (f"'trace-cmd report' of the same buffer has the same {len(ours)} functions, calls and"
           " times", len(ours) > 20 and ours.keys() == theirs.keys() and not other,
           "; ".join(other) or "\n".join(text[:1000] for text in found.values()))


def sums(report):
    return {row["name"]: (row["calls"], row["total"]) for row in report["functions"]}
