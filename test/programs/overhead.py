#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what --max-overhead costs in CPU time of the program:

    python3 test/programs/overhead.py --build build/release redis SERVER BENCHMARK
    python3 test/programs/overhead.py --build build/release run PROG ARGS...

redis: two processes of redis-server SERVER continuously answer redis-benchmark on one CPU. First
one of them is recorded, then the other. The result is the time per answer, without the first 1.5
seconds of a recording. run: PROG runs to its end on one CPU, plain and recorded at the same
time. PROG should take some seconds, because its start is included. Prints the median of the
ratios, and the summary of the last recording. --compare runs PROG once more and times every
call, to show the durations of the functions that were disabled and of those that were kept."""
import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time


def cpu_seconds(pid):
    """CPU time of the process, in ns."""
    with open(f"/proc/{pid}/schedstat", encoding="utf-8") as file:
        total = int(file.read().split()[0])
    for thread in os.listdir(f"/proc/{pid}/task"):
        if int(thread) != pid:
            try:
                with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="utf-8") as file:
                    total += int(file.read().split()[0])
            except FileNotFoundError:
                pass
    return total / 1e9


def record(args, *what):
    return [f"{args.build}/bin/patchbay", "record", "-t", args.tracer, *what]


def limit(args):
    return ["--max-overhead", args.percent + "%"] if args.percent else []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"INFO stats\r\n")
        text = b""
        while b"total_commands_processed:" not in text or not text.endswith(b"\r\n"):
            text += client.recv(65536)
    return int(re.search(rb"total_commands_processed:(\d+)", text).group(1))


class Server:
    """A redis-server that continuously answers a benchmark, on a shared CPU."""

    def __init__(self, server, benchmark, folder, processor, others):
        self.port = free_port()
        self.process = subprocess.Popen(
            [os.path.abspath(server), "--port", str(self.port), "--save", ""],
            stdout=subprocess.DEVNULL, cwd=folder,
            preexec_fn=lambda: os.sched_setaffinity(0, [processor]))
        time.sleep(1)
        self.load = subprocess.Popen(
            [benchmark, "-p", str(self.port), "-q", "-t", "set", "-n", "1000000000"],
            stdout=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, others))

    def spent(self):
        """Returns the CPU time and number of answers so far."""
        return cpu_seconds(self.process.pid), answers(self.port)

    def stop(self):
        for process in (self.load, self.process):
            process.kill()
            process.wait()


def costs(servers, seconds):
    """Returns each server's CPU time per answer in the same period."""
    before = [server.spent() for server in servers]
    time.sleep(seconds)
    after = [server.spent() for server in servers]
    return [(now[0] - then[0]) / (now[1] - then[1]) for then, now in zip(before, after)]


def wait_for_begin(recording):
    """Waits until the recording is active. `patchbay record` first measures the cost of a call,
    and may need time to attach on a busy machine. Until then recording costs nothing."""
    said = ""
    while ": recording;" not in said:
        line = recording.stderr.readline()
        said += line
        if not line:
            sys.exit(said)


def redis(args, server, benchmark):
    """Runs two servers on one CPU, and records first one of them, then the other. Load on the
    machine affects both equally. Differences between the servers, such as memory placement,
    cancel out, because each server is recorded once and plain once."""
    processor = max(os.sched_getaffinity(0))
    others = os.sched_getaffinity(0) - {processor} or {processor}
    ratios, servers = [], []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for _ in range(2):
                servers.append(Server(server, benchmark, folder, processor, others))
            time.sleep(1)
            for _ in range(args.times):
                both = []
                for traced, plain in (servers, servers[::-1]):
                    recording = subprocess.Popen(
                        record(args, *limit(args), "-p", str(traced.process.pid), "-o",
                               f"{folder}/data"), stderr=subprocess.PIPE, text=True)
                    wait_for_begin(recording)
                    time.sleep(1.5)
                    cost = costs((traced, plain), args.seconds)
                    recording.send_signal(2)
                    said = recording.communicate(timeout=60)[1]
                    if recording.returncode:
                        sys.exit(said)
                    both.append(cost[0] / cost[1])
                ratios.append(statistics.geometric_mean(both))
            print(said, end="")
        finally:
            for each in servers:
                each.stop()
    return ratios


def begin(command, before, folder, name, processor):
    """Starts a shell that runs the program after `before` on that CPU, when a line is written to
    the pipe `go-NAME`. The shell must start no other program, because its CPU time is measured."""
    os.mkfifo(f"{folder}/go-{name}")
    wait = (': > "$0"/here-"$1"; read -r _ < "$0"/go-"$1"; '
            'into="$0"/times-"$1"; shift; "$@"; code=$?; times > "$into"; exit $code')
    return subprocess.Popen([*before, "sh", "-c", wait, folder, name, *command],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            preexec_fn=lambda: os.sched_setaffinity(0, [processor]))


def run(args, *command):
    """Runs both programs at the same time on one CPU, so that load on the machine affects both
    equally. Excludes the CPU time of `patchbay record` itself."""
    ratios = []
    processor = max(os.sched_getaffinity(0))
    for _ in range(args.times):
        with tempfile.TemporaryDirectory() as folder:
            ways = {"plain": [], "traced": record(args, *limit(args), "--force", "-o",
                                                  f"{folder}/data", "--")}
            running = {name: begin(command, before, folder, name, processor)
                       for name, before in ways.items()}
            while not all(os.path.exists(f"{folder}/here-{name}") for name in ways):
                if any(process.poll() for process in running.values()):
                    break
                time.sleep(0.02)
            # Open for reading and writing, so that open() does not wait for the shell.
            pipes = [os.open(f"{folder}/go-{name}", os.O_RDWR) for name in ways]
            for pipe in pipes:
                os.write(pipe, b"\n")
            said, seconds = {}, {}
            for name, process in running.items():
                said[name] = process.communicate()[1]
                if process.returncode:
                    sys.exit(said[name])
                with open(f"{folder}/times-{name}", encoding="utf-8") as file:
                    # The second line has the user and system time of the shell's children.
                    seconds[name] = sum(60 * int(minutes) + float(rest) for minutes, rest
                                        in re.findall(r"(\d+)m([\d.]+)s",
                                                      file.read().splitlines()[1]))
            for pipe in pipes:
                os.close(pipe)
            ratios.append(seconds["traced"] / seconds["plain"])
    print(said["traced"], end="")
    return ratios


def disarmed(args, data):
    """Returns the functions that were disabled and not re-enabled."""
    said = subprocess.run([f"{args.build}/bin/patchbay", "info", "-i", data], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return {name for name, why in re.findall(r"^left out +(.*?): (.*)$", said, re.M)
            if "--max-overhead" in why and not why.endswith("when there was room")}


def compare(args, *command):
    """Prints disabled and kept functions by the mean duration of a call, from a recording of all
    calls."""
    long_ns = 100000
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (("limited", ("-t", args.tracer, *limit(args))),
                              ("full", ("--histogram",))):
            done = subprocess.run(
                [f"{args.build}/bin/patchbay", "record", *options, "-o", f"{folder}/{name}",
                 "--", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True, check=False)
            if done.returncode:
                sys.exit(done.stderr)
        report = json.loads(subprocess.run(
            [f"{args.build}/bin/patchbay", "report", "--json", "-i", f"{folder}/full"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)
        gone = disarmed(args, f"{folder}/limited")
    called = {f["name"]: f for f in report["functions"]}
    calls = sum(f["calls"] for f in called.values())
    of_gone = sorted(called[name]["average_ns"] for name in gone if name in called)
    if not of_gone:
        sys.exit("nothing was disarmed")
    share = sum(called[name]["calls"] for name in gone if name in called) / calls
    slow = {name for name, f in called.items() if f["average_ns"] >= long_ns}
    print(f"disarmed: {len(gone)} functions of {len(called)} that were called, by "
          f"{100 * share:.2f} % of {calls} calls, which take {statistics.median(of_gone)} ns "
          f"(median of their averages; at most {of_gone[-1]})")
    print(f"left: {len(slow - gone)} of {len(slow)} functions whose calls take {long_ns} ns and "
          f"more on average{': not ' if slow & gone else ''}{', '.join(sorted(slow & gone))}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--percent", default="2", help="'' for no limit")
    parser.add_argument("--tracer", default="function_duration")
    parser.add_argument("--times", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--compare", action="store_true",
                        help="with a recording of all calls, too; of PROG")
    parser.add_argument("what", choices=("redis", "run"))
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if args.compare and args.what != "run":
        parser.error("--compare is for PROG")
    ratios = (redis if args.what == "redis" else run)(args, *args.command)
    print(f"{args.times} times: {100 * (statistics.median(ratios) - 1):.2f} % more processor "
          f"time (median; {100 * (min(ratios) - 1):.2f} to "
          f"{100 * (max(ratios) - 1):.2f})")
    if args.compare:
        compare(args, *args.command)


if __name__ == "__main__":
    main()
