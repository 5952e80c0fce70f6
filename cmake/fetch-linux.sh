#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches Debian's source of a Linux release, and prints the tar archive:
#
#   fetch-linux.sh VERSION [SUITE...]
#
# SUITEs are tried in order; without any, where such versions are found. Nothing
# is installed. The archive appears when it is whole, and is reused.
set -eu
. "$(dirname "$0")/private-apt.sh"

die() {
	printf 'fetch-linux: %s\n' "$*" >&2
	exit 1
}

case ${1:-} in
[0-9]*.[0-9]*) version=$1 ;;
*) die "no version '${1:-}': use, for example, 6.12" ;;
esac
shift
[ $# -gt 0 ] || set -- bookworm-security bookworm-backports trixie sid experimental
package=linux-source-$version
source=$cache/sources/$package.tar.xz

if [ -f "$source" ]; then
	printf '%s\n' "$source"
	exit
fi
command -v apt-get >/dev/null || die "cannot fetch $package: apt-get not found"
partial=$cache/partial/$package
mkdir -p "$partial" "$cache/sources" 2>/dev/null ||
	die "cannot write to $cache: set XDG_CACHE_HOME"
alone "$package"
if [ -f "$source" ]; then
	printf '%s\n' "$source"
	exit
fi

list=$(candidates "$@")
[ -n "$list" ] || die "cannot fetch $package: apt has no mirror for $*"
tried=
while read -r mirror suite; do
	state=$cache/apt/$suite-$package
	log=$state/log
	# Packages for all architectures are in the index of each.
	configure "$state" "$mirror" "$suite" amd64
	printf 'looking for %s in %s\n' "$package" "$suite" >&2
	if ! apt-get -c "$state/apt.conf" -q --error-on=any update >"$log" 2>&1 ||
		! (cd "$partial" && apt-get -c "$state/apt.conf" -q download \
			"$package") >"$log" 2>&1; then
		tried="$tried; $suite: $(reason "$log")"
		continue
	fi
	deb=$(find "$partial" -name "${package}_*.deb" | sort -V | tail -n 1)
	# The rename at the end makes it appear whole or not at all.
	trap 'rm -f "$source.$$"' EXIT
	trap 'exit 1' HUP INT TERM
	dpkg-deb --fsys-tarfile "$deb" |
		tar -xO "./usr/src/$package.tar.xz" >"$source.$$" &&
		[ -s "$source.$$" ] || die "cannot unpack $deb"
	mv "$source.$$" "$source"
	rm -r "$partial" "$state/lists"
	printf '%s\n' "$source"
	exit
done <<END
$list
END
die "cannot fetch $package (${tried#; })"
