# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# boot-with-libraries.sh RUN SCRIPT DIR FILE...: boots a guest with the command RUN and
# executes SCRIPT DIR in it. The guest has the FILEs of DIR and the host's libraries
# that they need.
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
