# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
#	live-inside.sh PID PATCHBAY PROGRAM
#
# The child of PID is in namespaces that PID has created. This script controls the child from
# outside: it prints the child's state, and attaches PROGRAM to slow().
child=
until [ -n "$child" ] && "$2" live -p "$child" 2>/dev/null; do
	child=$(cat /proc/"$1"/task/"$1"/children)
	child=${child% }
	sleep 0.05
done
timeout --preserve-status -s INT 2 "$2" attach -p "$child" --fentry slow "$3"
