# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""until.py FILE TEXT,TEXT... SIGNAL COMMAND...: runs COMMAND until FILE contains each TEXT.
Then sends SIGNAL, and prints COMMAND's exit status. $ in TEXT matches the end of a line."""
import signal
import subprocess
import sys
import time

PATIENCE = 600  # seconds, on a busy machine

path, texts, name = sys.argv[1:4]
texts = texts.replace("$", "\n").split(",")
sys.stdout.flush()
command = subprocess.Popen(sys.argv[4:])
end = time.monotonic() + PATIENCE
try:
    while True:
        with open(path, encoding="utf-8", errors="replace") as file:
            said = file.read()
        missing = [text for text in texts if text not in said]
        if not missing:
            break
        if command.poll() is not None:
            sys.exit(f"ended with status {command.returncode} before {missing} was in {path}")
        if time.monotonic() > end:
            sys.exit(f"{missing} was not in {path} after {PATIENCE} s")
        time.sleep(0.02)
    command.send_signal(getattr(signal, "SIG" + name))
    print("status", command.wait(PATIENCE), flush=True)
finally:
    command.kill()
