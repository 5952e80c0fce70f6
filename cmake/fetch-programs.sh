#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches programs of Debian for another architecture, with all that they depend on,
# and prints the folder that has them as a system has its root:
#
#   fetch-programs.sh ARCH PACKAGE...
#
# They are those of the release that the system's apt knows. Nothing is installed: the
# packages are unpacked, and their scripts do not run. The folder appears when it is
# whole, and is reused.
set -eu
. "$(dirname "$0")/private-apt.sh"

case ${1:-} in
aarch64) debian=arm64 ;;
ppc64le) debian=ppc64el ;;
x86_64) debian=amd64 ;;
*) die "no packages for '${1:-}': use aarch64, ppc64le or x86_64" ;;
esac
arch=$1
shift
[ $# -gt 0 ] || die "no package named"
wanted=$(printf '%s\n' "$@" | sort | paste -sd+)
name=$arch-$wanted
result=$cache/roots/$name
begin

take() {
	apt_get -y --no-install-recommends --download-only install $packages
}
packages=$*
# The release, and not what it is updated from.
ask_suites "$debian" "$(candidates | awk '$2 !~ /-(security|updates|backports)$/')"

unpack_aside
mkdir "$unpacked"
for deb in "$state"/cache/archives/*.deb; do
	dpkg-deb --fsys-tarfile "$deb" | tar -xC "$unpacked" --no-same-owner ||
		die "cannot unpack $deb"
done
rm -r "$state/cache"
finish
