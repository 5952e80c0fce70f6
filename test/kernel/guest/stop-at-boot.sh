# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that the kernel traced its boot until the function on its command line was entered.
cd /sys/kernel/tracing
echo on: $(cat tracing_on)
echo trigger: $(grep -v '^#' events/kprobes/stop/trigger)
echo last: $(tail -n 1 trace)
