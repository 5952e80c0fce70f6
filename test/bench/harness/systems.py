# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The systems under test: the compiler options that make functions patchable."""
from dataclasses import dataclass

KCFI = ("-fsanitize=kcfi",)
XRAY = ("-fxray-instrument", "-fxray-instruction-threshold=1")
XRAY_ENTRY = ("-fxray-instrumentation-bundle=function-entry",)
PFE_PREFIX = "-fpatchable-function-entry=21,16"


@dataclass(frozen=True)
class System:
    """A system. flags are the options for the instrumented code, callers the options for its
    callers."""
    name: str
    flags: tuple = ()
    callers: tuple = ()
    # The systems to compare with. A system with kCFI is also compared with the plain program with
    # kCFI, because the check in the caller is not a cost of the system.
    against: tuple = ("baseline",)

    @property
    def checks(self):
        return set(KCFI) <= set(self.flags)

    @property
    def is_xray(self):
        return "-fxray-instrument" in self.flags


def systems(plugin):
    """Returns all systems by name. The first two are the plain programs."""
    ours = (f"-fplugin={plugin}",)
    both = ("kcfi", "baseline")
    table = [
        System("baseline", against=()),
        System("kcfi", KCFI, KCFI),
        System("ours", KCFI + ours, KCFI, both),
        System("ours-without-kcfi", ours),
        System("pfe=5", ("-fpatchable-function-entry=5",)),
        System("pfe=5+kcfi", KCFI + ("-fpatchable-function-entry=5",), KCFI, both),
        # The option moves the hash, so callers also need the option. An ftrace with CALL_OPS would
        # need five bytes at the entry, and a slot before the entry.
        System("pfe=21,16+kcfi", KCFI + (PFE_PREFIX,), KCFI + (PFE_PREFIX,), both),
        System("xray", XRAY),
        System("xray+kcfi", KCFI + XRAY, KCFI, both),
        # Excludes the sleds at exits, which XRay adds by default.
        System("xray-entry",
               XRAY + XRAY_ENTRY),
        System("xray-entry+kcfi", KCFI + XRAY + XRAY_ENTRY, KCFI, both),
        # uftrace patches these calls at run time; here they are enabled from the start.
        System("uftrace", ("-pg", "-mfentry")),
        System("instrument-functions", ("-finstrument-functions",)),
        System("instrument-function-entry-bare",
               ("-finstrument-function-entry-bare",)),
    ]
    return {system.name: system for system in table}
