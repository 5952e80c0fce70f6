# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# boot-with-libraries.sh RUN SCRIPT DIR FILE...: runs SCRIPT DIR on a system of its own, by the
# command RUN, with FILEs of DIR, and the libraries of the host that these need.
run=$1 script=$2 dir=$3
shift 3
files=
for file; do
	files="$files --file $dir/$file"
done
for library in $(cd "$dir" && ldd "$@" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u); do
	case $library in
	"$dir"/*) ;;
	*) files="$files --file $library" ;;
	esac
done
# shellcheck disable=SC2086 # words
exec $run $files -- "$script" "$dir"
