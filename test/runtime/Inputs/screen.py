# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command on a new terminal, presses keys, and prints the screen.

    screen.py COLUMNSxROWS STEP... run COMMAND...

    wait:TEXT    waits until TEXT is on the screen
    gone:TEXT    waits until TEXT is not on the screen
    key:NAME     presses a key: Up, Enter, F5, ..., or a character
    type:TEXT    types several characters
    show         prints the lines of the screen
    size:CxR     resizes the window
    signal:NAME  sends a signal to the command
Waits for the command and exits with its status.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

# The sequences of terminfo's entry "linux".
KEYS = {"Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D", "Home": "\x1b[1~",
        "End": "\x1b[4~", "PageUp": "\x1b[5~", "PageDown": "\x1b[6~", "Enter": "\r", "Escape": "\x1b",
        "Tab": "\t", "BackTab": "\x1b\t", "Backspace": "\x7f", "Ctrl-C": "\x03", "F1": "\x1b[[A", "F3": "\x1b[[C",
        "F4": "\x1b[[D", "F5": "\x1b[[E", "F6": "\x1b[17~", "F10": "\x1b[21~", "Space": " "}
SECONDS = 600


class Screen:
    """The screen of a terminal. Implements the control sequences that ncurses sends."""

    def __init__(self, columns, rows):
        self.resize(columns, rows)
        self.rest = ""

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1  # scroll region

    def scroll(self, at, count):
        """Scrolls the lines from `at` up, or down if count is negative."""
        for _ in range(abs(count)):
            self.lines.insert(self.bottom + 1 if count > 0 else at, [" "] * self.columns)
            self.lines.pop(at if count > 0 else self.bottom + 1)

    def write(self, text):
        text = self.rest + text
        while text:
            sequence = re.match(r"\x1b(?:\[([?>]?)([\d;]*)([A-Za-z@`])|[()].|\][^\x07]*\x07|[=>78cM])", text)
            if sequence:
                if sequence.group() == "\x1bM":
                    if self.row == self.top:
                        self.scroll(self.top, -1)
                    else:
                        self.row -= 1
                self.control(*(g or "" for g in sequence.groups()))
                text = text[sequence.end():]
            elif text[0] == "\x1b" and len(text) < 16:
                break  # the sequence is incomplete
            else:
                self.character(text[0])
                text = text[1:]
        self.rest = text

    def character(self, c):
        if c == "\r":
            self.column = 0
        elif c == "\n":
            if self.row == self.bottom:
                self.scroll(self.top, 1)
            else:
                self.row = min(self.row + 1, self.rows - 1)
        elif c == "\b":
            self.column = max(self.column - 1, 0)
        elif c == "\t":
            self.column = min(self.column // 8 * 8 + 8, self.columns - 1)
        elif c >= " ":
            if self.column >= self.columns:
                self.column = 0
                self.character("\n")
            self.lines[self.row][self.column] = c
            self.column += 1

    def control(self, private, numbers, what):
        if private or not what or what in "mhl":
            return
        given = [int(n) if n else 0 for n in numbers.split(";")]
        n, line = max(given[0], 1), self.lines[self.row]
        if what in "Hf":
            self.row, self.column = n - 1, max(given[1] if len(given) > 1 else 1, 1) - 1
        elif what == "r":
            self.top, self.bottom = n - 1, (given[1] if len(given) > 1 and given[1] else self.rows) - 1
            self.row = self.column = 0
        elif what == "d":
            self.row = n - 1
        elif what in "G`":
            self.column = n - 1
        elif what in "ABCD":
            self.row += {"A": -n, "B": n}.get(what, 0)
            self.column += {"C": n, "D": -n}.get(what, 0)
        elif what == "Z":
            self.column = max(0, (self.column - 1) // 8 * 8)
        elif what == "K":
            begin, end = {0: (self.column, self.columns), 1: (0, self.column + 1), 2: (0, self.columns)}[given[0]]
            line[begin:end] = [" "] * (end - begin)
        elif what == "J":
            begin = 0 if given[0] == 2 else self.row + 1
            if given[0] != 2:
                line[self.column:] = [" "] * (self.columns - self.column)
            for row in range(begin, self.rows):
                self.lines[row] = [" "] * self.columns
        elif what == "X":
            line[self.column:self.column + n] = [" "] * min(n, self.columns - self.column)
        elif what == "P":
            self.lines[self.row] = line[:self.column] + line[self.column + n:] + [" "] * n
        elif what == "@":
            self.lines[self.row] = (line[:self.column] + [" "] * n + line[self.column:])[:self.columns]
        elif what in "LM":
            self.scroll(self.row, n if what == "M" else -n)
        elif what in "ST":
            self.scroll(self.top, n if what == "S" else -n)
        else:
            sys.exit(f"screen.py: a control sequence that it does not know: {numbers}{what}")
        self.row = max(0, min(self.row, self.rows - 1))

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines).rstrip()


class Session:
    def __init__(self, size, command):
        columns, rows = map(int, size.split("x"))
        self.screen = Screen(columns, rows)
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.environ.update(TERM=os.environ.get("SCREEN_TERM", "linux"), LC_ALL="C.UTF-8")
            os.environ.pop("LINES", None)
            os.environ.pop("COLUMNS", None)
            os.execvp(command[0], command)
        self.bytes = b""

    def read(self, seconds):
        """Reads output. Returns False if none arrived, or if the command has closed the
        terminal."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.terminal, 65536)
        except OSError:  # EIO: no process has the terminal open
            return False
        self.bytes += data
        # A character may arrive in parts, so keep an incomplete one.
        whole = len(self.bytes.decode(errors="ignore").encode())
        self.screen.write(self.bytes[:whole].decode(errors="ignore"))
        self.bytes = self.bytes[whole:]
        return bool(data)

    def until(self, done, what):
        end = time.monotonic() + SECONDS
        while not done():
            if time.monotonic() > end:
                print(self.screen.text())
                sys.exit(f"screen.py: this did not happen: {what}")
            self.read(0.1)

    def step(self, kind, value):
        if kind == "wait":
            self.until(lambda: value in self.screen.text(), "wait:" + value)
        elif kind == "gone":
            self.until(lambda: value not in self.screen.text(), "gone:" + value)
        elif kind in ("key", "type"):
            os.write(self.terminal, (KEYS.get(value, value) if kind == "key" else value).encode())
            # The command may draw with pauses of any length, so wait until output stops.
            while self.read(0.05):
                pass
        elif kind == "show":
            while self.read(0.2):
                pass
            print(self.screen.text())
        elif kind == "size":
            columns, rows = map(int, value.split("x"))
            self.screen.resize(columns, rows)
            fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        elif kind == "signal":
            os.kill(self.pid, getattr(signal, "SIG" + value))
        else:
            sys.exit("screen.py: there is no step '" + kind + "'")

    def finish(self):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0):
                    pass
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        sys.exit("screen.py: the command does not end")


def main(size, *words):
    split = words.index("run")
    session = Session(size, words[split + 1:])
    for word in words[:split]:
        session.step(*(word.split(":", 1) if ":" in word else (word, "")))
    status = session.finish()
    if not words[:split]:
        print(session.screen.text())
    sys.exit(status)


main(*sys.argv[1:])
