# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The systems under test: what makes a function of each one patchable."""
from dataclasses import dataclass

KCFI = ("-fsanitize=kcfi",)
XRAY = ("-fxray-instrument", "-fxray-instruction-threshold=1")
XRAY_ENTRY = ("-fxray-instrumentation-bundle=function-entry",)
PFE_PREFIX = "-fpatchable-function-entry=21,16"


@dataclass(frozen=True)
class System:
    """flags are for the code that is instrumented, and only for it. Its callers
    are compiled with callers, what callers of this kind need by all means."""
    name: str
    flags: tuple = ()
    callers: tuple = ()
    # What the figures of this system are ratios of, among others the plain
    # program. A system with kCFI has the plain program with kCFI beside it: what
    # the check in the caller costs is not the price of the system.
    against: tuple = ("baseline",)

    @property
    def checks(self):
        return set(KCFI) <= set(self.flags)

    @property
    def is_xray(self):
        return "-fxray-instrument" in self.flags


def systems(plugin):
    """All of them by name. The first two are the programs without a system."""
    ours = (f"-fplugin={plugin}",)
    both = ("kcfi", "baseline")
    table = [
        System("baseline", against=()),
        System("kcfi", KCFI, KCFI),
        System("ours", KCFI + ours, KCFI, both),
        System("ours-without-kcfi", ours),
        System("pfe=5", ("-fpatchable-function-entry=5",)),
        System("pfe=5+kcfi", KCFI + ("-fpatchable-function-entry=5",), KCFI, both),
        # Its hash is elsewhere than in all other code, so callers need the
        # option too. Five bytes at the entry and a slot before it: what an
        # ftrace with call ops asks of this option.
        System("pfe=21,16+kcfi", KCFI + (PFE_PREFIX,), KCFI + (PFE_PREFIX,), both),
        System("xray", XRAY),
        System("xray+kcfi", KCFI + XRAY, KCFI, both),
        # Only sleds at entries; the default has one at every exit, too.
        System("xray-entry",
               XRAY + XRAY_ENTRY),
        System("xray-entry+kcfi", KCFI + XRAY + XRAY_ENTRY, KCFI, both),
        # What its tracer hooks at run time, here from the start.
        System("uftrace", ("-pg", "-mfentry")),
        System("instrument-functions", ("-finstrument-functions",)),
        System("instrument-function-entry-bare",
               ("-finstrument-function-entry-bare",)),
    ]
    return {system.name: system for system in table}
