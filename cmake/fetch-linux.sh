#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches Debian's source of a Linux release, and prints the tar archive:
#
#   fetch-linux.sh VERSION [SUITE...]
#
# Tries the SUITEs in order; the default is the suites that have such versions. Installs
# nothing. Makes the archive in one step, and reuses an existing archive.
set -eu
. "$(dirname "$0")/private-apt.sh"

case ${1:-} in
[0-9]*.[0-9]*) version=$1 ;;
*) die "no version '${1:-}': use, for example, 6.12" ;;
esac
shift
[ $# -gt 0 ] || set -- bookworm-security bookworm-backports trixie sid experimental
name=linux-source-$version
wanted=$name
result=$cache/sources/$name.tar.xz
begin

take() {
	download "$name"
}
# The package is for all architectures, so any architecture's index lists the package.
ask_suites amd64 "$(candidates "$@")" "$*"

deb=$(newest "${name}_*.deb")
unpack_aside
dpkg-deb --fsys-tarfile "$deb" |
	tar -xO "./usr/src/$name.tar.xz" >"$unpacked" &&
	[ -s "$unpacked" ] || die "cannot unpack $deb"
finish
