# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expected output of function_graph with tracing_thresh, the kernel's own tracer of
durations, and of `patchbay import`."""
import re
import subprocess

THRESHOLDS = (0, 10, 100)  # in us
STATS = re.compile(r"^stats: (\d+): entries: (\d+) overrun: (\d+) commit overrun: \d+ bytes: (\d+)"
                   r" oldest event ts: *([\d.]+) now ts: *([\d.]+) .*$", re.MULTILINE)
BUFFER = 1 << 20
# Trace from boot until the first program starts, with all options that 'patchbay import'
# needs. The trigger also prevents ftrace's start-up tests, some of which would wait for
# events below the threshold.
ARGS = ("ftrace=function_graph tracing_thresh=100 trace_clock=mono"
        " trace_trigger=sched_process_exec.traceoff:1"
        " trace_options=funcgraph-abstime,funcgraph-proc,funcgraph-tail")
# Trace until a driver starts; needs fix 0009.
STOP = "lkdtm_module_init"
STOP_ARGS = f"ftrace=function kprobe_event=p:stop,{STOP} trace_trigger=stop.traceoff"


def can_stop(source):
    """Does the kernel apply triggers of the command line to its kprobe events?"""
    return "trace_early_triggers" in (source / "kernel/trace/trace.h").read_text()


def stops(text):
    lines = dict(re.findall(r"^(on|trigger|last): (.*)$", text, re.MULTILINE))
    yield (f"tracing from boot on stops when {STOP}() is entered",
           lines.get("on") == "0" and lines.get("trigger", "").startswith("traceoff:")
           and f" stop: ({STOP}+0x0/" in lines.get("last", ""), text)


def check(text, patchbay, out):
    lasts = {us: seconds(text, us) for us in THRESHOLDS}
    yield ("a buffer of 1 MB for each CPU lasts "
           + ", ".join(f"{lasts[us] or 0:.4g} s with a threshold of {us} us" for us in THRESHOLDS),
           all(lasts.values()) and lasts[0] < lasts[10] < lasts[100], text[:1000])
    yield from costs(text)
    yield ("tracing from boot on stops when the first program is started", text.startswith("boot: 0\n"),
           text[:1000])
    deep = re.search(r"^depth: (\d+) of 1, (\d+) of 2, (\d+) deeper$", text, re.MULTILINE)
    yield ("max_graph_depth leaves out what is deeper",
           bool(deep) and int(deep[1]) > 0 < int(deep[2]) and deep[3] == "0", text[-1000:])
    yield ("a function with the command traceoff ends tracing when it is called",
           "\nstops: 1 0\n" in text, text[-1000:])
    for what in ("boot", *THRESHOLDS):
        yield from read(text, what, patchbay, out)


def seconds(text, threshold):
    """The time for which the buffer lasts on the CPU with most events."""
    began = re.search(rf"^began: {threshold}: ([\d.]+)$", text, re.MULTILINE)
    found = [list(map(float, row[1:])) for row in STATS.findall(text)
             if row[0] == str(threshold)]
    if not began or not found:
        return None
    kept, overwritten, size, _, now = max(found, key=lambda row: row[0] + row[1])
    room = kept if overwritten else kept * BUFFER / size if size else 0
    return (now - float(began[1])) * room / (kept + overwritten) if kept else None


def costs(text):
    """Checks the cost of a hundred calls, in instructions."""
    found = dict(((int(beside), what), int(cost)) for beside, what, cost in
                 re.findall(r"^cost: (\d+): (\w+) (\d+)$", text, re.MULTILINE))
    if len(found) != 4:
        yield "what a call takes that is measured and left out", False, text[-1000:]
        return
    alone, beside = ((found[n, "function_graph"] - found[n, "none"]) / 100 for n in (0, 100))
    yield (f"a call that is measured and left out takes {alone:.0f} instructions more, beside 100"
           f" tracers of others {beside:.0f}", 0 < alone < 1500 and abs(alone - beside) < 3,
           str(found))


def read(text, what, patchbay, out):
    """Imports the kernel's text and checks that the recording has the same number of calls and
    the same sums."""
    found = re.search(rf"^text: {what}\n(.*?)^end of text$", text,
                      re.MULTILINE | re.DOTALL)
    path, data = out / f"trace-{what}.txt", out / f"trace-{what}.data"
    path.write_text(found[1] if found else "")
    said = ""
    for command in ([patchbay, "import", path, "-o", data], [patchbay, "report", data]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False, text=True)
        said += done.stdout
        if done.returncode:
            break
    calls = len(re.findall(r"(?:;|} /\* \S+(?: \[\w+\])? \*/|})$", path.read_text(), re.MULTILINE))
    # If all functions are traced, calls that have not ended have a line for their beginning.
    begun = len(re.findall(r" {$", path.read_text(), re.MULTILINE))
    read_as = re.search(r"^patchbay: imported (\d+) calls? of", said, re.MULTILINE)
    when = "from boot" if what == "boot" else f"with a threshold of {what} us"
    yield (f"'patchbay report' has what the kernel has traced {when}: {calls} calls",
           bool(read_as) and 0 < calls <= int(read_as[1]) <= calls + begun
           and not done.returncode, said[:3000])
