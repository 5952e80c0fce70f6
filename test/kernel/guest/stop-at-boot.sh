# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The kernel has traced its own boot until the function that its arguments name was entered.
cd /sys/kernel/tracing
echo on: $(cat tracing_on)
echo trigger: $(grep -v '^#' events/kprobes/stop/trigger)
echo last: $(tail -n 1 trace)
