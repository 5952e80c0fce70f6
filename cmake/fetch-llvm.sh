#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches the archives (.a) of LLVM for another architecture, with which CMake links the
# command for that architecture, and prints the folder:
#
#   fetch-llvm.sh ARCH LLVM-MAJOR
#
# The archives have the version of the installed LLVM, whose headers the build uses.
# Installs nothing. Reuses an existing folder.
set -eu
. "$(dirname "$0")/private-apt.sh"

[ $# -eq 2 ] || die "usage: fetch-llvm.sh ARCH LLVM-MAJOR"
case $1 in
aarch64) debian=arm64 ;;
*) die "no LLVM for '$1': use aarch64" ;;
esac
case $2 in
'' | *[!0-9]*) die "usage: fetch-llvm.sh ARCH LLVM-MAJOR" ;;
esac
name=llvm-$1-$2
wanted="LLVM for $1"
result=$cache/llvm/$1-$2
there
version=$(dpkg-query -W -f '${Version}' "llvm-$2-dev" 2>/dev/null) ||
	die "no llvm-$2-dev of Debian's is installed, whose version it has to be"
begin

# Search all suites of the system, because the packages may come from different suites.
state=$cache/apt/$name log=$cache/apt/$name/log
mkdir -p "$state"
candidates >"$state/candidates"
: >"$state/all"
while read -r mirror suite; do
	configure "$state" "$mirror" "$suite" "$debian"
	cat "$state/sources.list" >>"$state/all"
done <"$state/candidates"
[ -s "$state/all" ] || die "cannot fetch $wanted: apt has no mirror"
mv "$state/all" "$state/sources.list"
printf 'looking for LLVM %s for %s\n' "$version" "$1" >&2
# Ignore errors, because some mirrors do not have this architecture.
apt_get update || true
download "llvm-$2-dev=$version" libzstd-dev zlib1g-dev ||
	die "cannot fetch LLVM $version for $1: $(reason "$log")"

unpack_aside
mkdir "$unpacked"
for package in "$partial"/*.deb; do
	dpkg-deb --fsys-tarfile "$package" |
		tar -x -C "$unpacked" --wildcards --transform 's|.*/||' '*.a' 2>"$log" ||
		die "cannot unpack $package: $(head -n 1 "$log")"
done
# Keep the libraries that the command links, and the dependencies of these libraries.
for archive in "$unpacked"/*; do
	case ${archive##*/libLLVM} in
	DebugInfoDWARF.a | Object.a | TextAPI.a | MCParser.a | IRReader.a | AsmParser.a) ;;
	MC.a | BitReader.a | Core.a | Remarks.a | BitstreamReader.a | BinaryFormat.a) ;;
	DebugInfoDWARFLowLevel.a | TargetParser.a | Support.a | Demangle.a) ;;
	*/libz.a | */libzstd.a) ;;
	*) rm -r "$archive" ;;
	esac
done
finish
