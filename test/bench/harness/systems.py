# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The systems under test: how each one makes functions patchable."""
from dataclasses import dataclass

KCFI = ("-fsanitize=kcfi",)
XRAY = ("-fxray-instrument", "-fxray-instruction-threshold=1")
XRAY_ENTRY = ("-fxray-instrumentation-bundle=function-entry",)
PFE_PREFIX = "-fpatchable-function-entry=21,16"


@dataclass(frozen=True)
class System:
    """flags compile only the instrumented code. callers compiles its callers; they are the
    options that callers of this kind always need."""
    name: str
    flags: tuple = ()
    callers: tuple = ()
    # The figures of this system are ratios to these, such as the plain program. A system
    # with kCFI also has the plain program with kCFI: the check in the caller is not a
    # cost of the system.
    against: tuple = ("baseline",)

    @property
    def checks(self):
        return set(KCFI) <= set(self.flags)

    @property
    def is_xray(self):
        return "-fxray-instrument" in self.flags


def systems(plugin):
    """Returns all of them by name. The first two are the plain programs."""
    ours = (f"-fplugin={plugin}",)
    both = ("kcfi", "baseline")
    table = [
        System("baseline", against=()),
        System("kcfi", KCFI, KCFI),
        System("ours", KCFI + ours, KCFI, both),
        System("ours-without-kcfi", ours),
        System("pfe=5", ("-fpatchable-function-entry=5",)),
        System("pfe=5+kcfi", KCFI + ("-fpatchable-function-entry=5",), KCFI, both),
        # Its hash is at another place than in other code, so callers also need the
        # option. Five bytes at the entry and a slot before it are what an ftrace with
        # call ops needs.
        System("pfe=21,16+kcfi", KCFI + (PFE_PREFIX,), KCFI + (PFE_PREFIX,), both),
        System("xray", XRAY),
        System("xray+kcfi", KCFI + XRAY, KCFI, both),
        # Only sleds at entries; the default also has one at every exit.
        System("xray-entry",
               XRAY + XRAY_ENTRY),
        System("xray-entry+kcfi", KCFI + XRAY + XRAY_ENTRY, KCFI, both),
        # Its tracer hooks this call at run time; here it is hooked from the start.
        System("uftrace", ("-pg", "-mfentry")),
        System("instrument-functions", ("-finstrument-functions",)),
        System("instrument-function-entry-bare",
               ("-finstrument-function-entry-bare",)),
    ]
    return {system.name: system for system in table}
