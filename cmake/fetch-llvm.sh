#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches LLVM's archives for another architecture, with which CMake builds the command
# for it, and prints the folder that they are in:
#
#   fetch-llvm.sh ARCH LLVM-MAJOR
#
# They are of the version that is installed here, whose headers are used. Nothing is
# installed. An archive that is there is reused.
set -eu
. "$(dirname "$0")/private-apt.sh"

die() {
	printf 'fetch-llvm: %s\n' "$*" >&2
	exit 1
}

[ $# -eq 2 ] || die "usage: fetch-llvm.sh ARCH LLVM-MAJOR"
case $1 in
aarch64) debian=arm64 ;;
*) die "no LLVM for '$1': use aarch64" ;;
esac
case $2 in
'' | *[!0-9]*) die "usage: fetch-llvm.sh ARCH LLVM-MAJOR" ;;
esac
store=$cache/llvm/$1-$2
if [ -f "$store/libLLVMSupport.a" ]; then
	printf '%s\n' "$store"
	exit
fi
version=$(dpkg-query -W -f '${Version}' "llvm-$2-dev" 2>/dev/null) ||
	die "no llvm-$2-dev of Debian's is installed, whose version it has to be"
command -v apt-get >/dev/null || die "cannot fetch LLVM for $1: apt-get not found"
partial=$cache/partial/llvm-$1-$2
mkdir -p "$partial" "$cache/llvm" 2>/dev/null || die "cannot write to $cache: set XDG_CACHE_HOME"
alone "llvm-$1-$2"
if [ -f "$store/libLLVMSupport.a" ]; then
	printf '%s\n' "$store"
	exit
fi

# All that the system itself has, as one: the packages need not be of one suite.
state=$cache/apt/llvm-$1-$2
mkdir -p "$state"
candidates >"$state/candidates"
: >"$state/all"
while read -r mirror suite; do
	configure "$state" "$mirror" "$suite" "$debian"
	cat "$state/sources.list" >>"$state/all"
done <"$state/candidates"
[ -s "$state/all" ] || die "cannot fetch LLVM for $1: apt has no mirror"
mv "$state/all" "$state/sources.list"
log=$state/log
printf 'looking for LLVM %s for %s\n' "$version" "$1" >&2
# Mirrors that have nothing for this architecture are no error.
apt-get -c "$state/apt.conf" -q update >"$log" 2>&1 || true
(cd "$partial" && apt-get -c "$state/apt.conf" -q download \
	"llvm-$2-dev=$version" libzstd-dev zlib1g-dev) >"$log" 2>&1 ||
	die "cannot fetch LLVM $version for $1: $(reason "$log")"

# The rename at the end makes it appear whole or not at all.
unpacked=$store.$$
trap 'rm -rf "$unpacked"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$unpacked"
for package in "$partial"/*.deb; do
	dpkg-deb --fsys-tarfile "$package" |
		tar -x -C "$unpacked" --wildcards --transform 's|.*/||' '*.a' 2>"$log" ||
		die "cannot unpack $package: $(head -n 1 "$log")"
done
# What the command needs, and what that needs.
for archive in "$unpacked"/*; do
	case ${archive##*/libLLVM} in
	DebugInfoDWARF.a | Object.a | TextAPI.a | MCParser.a | IRReader.a | AsmParser.a) ;;
	MC.a | BitReader.a | Core.a | Remarks.a | BitstreamReader.a | BinaryFormat.a) ;;
	DebugInfoDWARFLowLevel.a | TargetParser.a | Support.a | Demangle.a) ;;
	*/libz.a | */libzstd.a) ;;
	*) rm -r "$archive" ;;
	esac
done
rm -rf "$store"
mv -T "$unpacked" "$store"
rm -r "$partial" "$state/lists"
printf '%s\n' "$store"
