#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the image of cmake/debian/Containerfile on a clean system, without a daemon or a
# registry, and uses the image as described in that file:
#
#   container.sh ARCHIVE DEBS CONTAINERFILE WORK
set -eu
archive=$1 debs=$2 recipe=$3 work=$4
mkdir -p "$work"

do_buildah() {
	buildah --root "$work/storage" --runroot "$work/run" --storage-driver overlay "$@"
}

# Unmount at the end: otherwise the mounts outlive this script and prevent removing the folder.
trap 'do_buildah rm -a >/dev/null 2>&1 || :; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

clean=$(do_buildah from scratch)
do_buildah add -q "$clean" "$archive" / >/dev/null
# The clean system has all dependencies of the packages, so nothing is downloaded.
root=$(do_buildah mount "$clean")
rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d
do_buildah umount "$clean" >/dev/null
do_buildah commit -q --disable-compression "$clean" localhost/clean >/dev/null
do_buildah rm "$clean" >/dev/null
do_buildah bud -q --isolation chroot --build-arg BASE=localhost/clean -t patchbay \
	-f "$recipe" "$debs" >/dev/null
used=$(do_buildah from --pull-never patchbay)
printf 'int leaf(int a) { return a; }\nint main(void) { return leaf(0); }\n' >"$work/prog.c"
do_buildah add -q "$used" "$work/prog.c" /src/prog.c >/dev/null
command=$(sed -n "s/^#  *'\(.*\)'\$/\1/p" "$recipe")
do_buildah run --isolation chroot "$used" sh -ec "$command"
