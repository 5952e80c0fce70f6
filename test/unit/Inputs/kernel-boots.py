# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kernel-boots.py FOLDER build|boot|hang|messages: prints the messages of test/kernel for a
kernel that cannot be built, one that cannot run its init, and a file that is not a kernel.
"messages" shows the configuration after an interrupted run for messages."""
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernel"))
import run  # noqa: E402
from kernels import Kernel, Tools  # noqa: E402

folder, how = Path(sys.argv[1]), sys.argv[2]
cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "patchbay"
bad = Kernel("arm64", "bad", folder / "source", folder / "bad", Tools(None, None, ""), False, ())


def printed(generator):
    """Collects the checks that the generator yields, and its return value."""
    result = yield from generator
    print("under way:", " ".join(result) or "none")


if how == "messages":
    print(next(run.Run.messages(SimpleNamespace(out=folder, ours=bad, tools=bad.tools)))[0])
    print("left:", *sorted(path.name for path in bad.out.iterdir()))
    sys.exit()

with ThreadPoolExecutor(1) as pool:
    test = SimpleNamespace(arch="arm64", busybox=folder / "busybox", programs={},
                           source=bad.source, modules=lambda kernel: folder / "none",
                           say=lambda text: None, pool=pool)
    if how == "build":
        checks = printed(run.Run.start(test, bad, ("log",)))
    else:
        bad.image.parent.mkdir(parents=True, exist_ok=True)
        if how == "hang":
            run.boot.BOOT_TIMEOUT = 1
            bad.image.write_bytes(bytes(4096))
        else:
            shutil.copy(cache / "system" / "aarch64" / "kernel", bad.image)
        future = pool.submit(run.Run.boot, test, bad, "log")
        checks = run.finished(bad, {"log": future}, "log")
    for what, good, seen in checks:
        print(f"{'ok' if good else 'FAILED'}: {what}\n{seen}")
if how == "boot":
    print("last words:", run.last_words(bad, "log", future))
