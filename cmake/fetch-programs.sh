#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches Debian packages for another architecture, with their dependencies, and prints a
# folder that is laid out as the root of a system:
#
#   fetch-programs.sh ARCH PACKAGE...
#
# Uses the system's own Debian release. Unpacks the packages without running their
# scripts. Makes the folder in one step, and reuses an existing folder.
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
# Use the release without its security, updates and backports suites.
ask_suites "$debian" "$(candidates | awk '$2 !~ /-(security|updates|backports)$/')"

unpack_aside
mkdir "$unpacked"
for deb in "$state"/cache/archives/*.deb; do
	dpkg-deb --fsys-tarfile "$deb" | tar -xC "$unpacked" --no-same-owner ||
		die "cannot unpack $deb"
done
rm -r "$state/cache"
finish
