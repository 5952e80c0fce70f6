# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
#	attach-stalled.sh PID PATCHBAY PROGRAM
#
# Attaches PROGRAM, and stops the command that would read its output.
set -e
"$2" attach -p "$1" "$3" > stalled &
client=$!
trap 'kill -KILL $client' EXIT
until grep -q ^attached stalled; do
	sleep 0.05
done
kill -STOP $client
"$2" list --live "$1" | grep "functions armed"
tries=0
while "$2" list --live "$1" | grep -q '^[1-9].* functions armed' &&
	[ $((tries += 1)) -le 100 ]; do
	"$2" live -p "$1" | head -n 1
	sleep 0.2
done
"$2" list --live "$1" | grep "functions armed"
