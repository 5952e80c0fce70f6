#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# system-guest.sh DIR SECONDS: runs the programs that system-programs.sh built in DIR, stress
# for SECONDS, and prints a line for each program. A hang is a failure. If the clock counts
# executed instructions (run.py --mips), some programs take ten minutes of that clock.
#
# bpf-fuzz runs first: at the end it would take 20 seconds instead of 3. The program writes a
# lot of memory, including pages that contained code before, and emulators track such pages.
cd "$1" || exit
# The emulator runs the harts in turns. On riscv64 a turn can last a tenth of a second,
# because PAUSE does not end a turn. Tests therefore allow ten times as many seconds
# (check.h), and left.c jumps a tenth as often.
export PATCHBAY_TEST_SLOW=30
limit=1800 rounds=60
# One round has thirty times as many calls on riscv64, because turns are longer.
[ "$(uname -m)" != riscv64 ] || limit=180 rounds=20
while read -r program arguments; do
	[ -e "$program" ] || continue
	output=$(timeout -s KILL $((limit + $2)) "./$program" $arguments 2>&1)
	status=$?
	[ $status = 0 ] || output="$output (status $status)"
	echo "$program${arguments:+ $arguments}:" $output
done <<END
bpf-fuzz 3000 1
arm
arm.hard
arm.function
registers
registers.hard
registers.static
vectors
args
odd
odd.hard
unwind
unwind.hard
unwind-step.hard
unwind-step.hard exit
exit
exit.hard
exit.unwinder
exit-model
exit-timed
static
main-thread
dso ./dso.so
foreign
inspect
filter
inject
ops ./ops.so 20
batch 5
several 100
shared ./shared.so $rounds
toggle 50
fork 10
check
link
link-errors
link-selftests
link-future ./link-future.so
link-matrix
link-matrix.hard
life exit
life dlclose ./life.so
life loader ./life.so 20
life fork-in-handler 20
process start
process vfork
process exec
process call-back
process exit-in-attach
file ./file.so 5
flips 300
sandbox
many ./many.so 60
torture ./torture.so 5
storm ./storm.so 2
left
nested
jump
ends
stress ./stress.so ./stress-unwinder.so $2
fork-storm ./fork-storm.so 10
END
