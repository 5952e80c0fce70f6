#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches Debian's own kernel of a Linux release for another architecture, for its
# machines in general, and prints the file that boots:
#
#   fetch-kernel.sh ARCH VERSION [SUITE...]
#
# SUITEs are tried in order; without any, where such versions are found. Nothing is
# installed. The file appears when it is whole, and is reused.
set -eu
. "$(dirname "$0")/private-apt.sh"

die() {
	printf 'fetch-kernel: %s\n' "$*" >&2
	exit 1
}

case ${1:-} in
aarch64) debian=arm64 flavour=arm64 ;;
ppc64le) debian=ppc64el flavour=powerpc64le ;;
riscv64) debian=riscv64 flavour=riscv64 ;;
x86_64) debian=amd64 flavour=amd64 ;;
*) die "no kernel for '${1:-}': use aarch64, ppc64le, riscv64 or x86_64" ;;
esac
arch=$1
case ${2:-} in
[0-9]*.[0-9]*) version=$2 ;;
*) die "no version '${2:-}': use, for example, 6.12" ;;
esac
shift 2
[ $# -gt 0 ] || set -- trixie sid experimental
name=linux-$version-$arch
kernel=$cache/sources/$name

if [ -f "$kernel" ]; then
	printf '%s\n' "$kernel"
	exit
fi
command -v apt-get >/dev/null || die "cannot fetch $name: apt-get not found"
partial=$cache/partial/$name
mkdir -p "$partial" "$cache/sources" 2>/dev/null ||
	die "cannot write to $cache: set XDG_CACHE_HOME"
alone "$name"
if [ -f "$kernel" ]; then
	printf '%s\n' "$kernel"
	exit
fi

list=$(candidates "$@")
[ -n "$list" ] || die "cannot fetch $name: apt has no mirror for $*"
tried=
while read -r mirror suite; do
	state=$cache/apt/$suite-$name
	log=$state/log
	configure "$state" "$mirror" "$suite" "$debian"
	printf 'looking for %s in %s\n' "$name" "$suite" >&2
	if ! apt-get -c "$state/apt.conf" -q --error-on=any update >"$log" 2>&1; then
		tried="$tried; $suite: $(reason "$log")"
		continue
	fi
	# Since 7.2 an image has its file from a package of its own.
	pattern="$(printf '%s' "$version" | sed 's/\./\\./g')[.~+][^-]*-$flavour"
	package=$(apt-cache -c "$state/apt.conf" pkgnames |
		grep -E "^linux-(binary|image)-$pattern\$" | sort -V | head -n 1)
	if [ -z "$package" ]; then
		tried="$tried; $suite: does not have it"
		continue
	fi
	if ! (cd "$partial" && apt-get -c "$state/apt.conf" -q download "$package") \
		>"$log" 2>&1; then
		tried="$tried; $suite: $(reason "$log")"
		continue
	fi
	deb=$(find "$partial" -name "linux-*.deb" | sort -V | tail -n 1)
	# The rename at the end makes it appear whole or not at all.
	trap 'rm -f "$kernel.$$"' EXIT
	trap 'exit 1' HUP INT TERM
	dpkg-deb --fsys-tarfile "$deb" |
		tar -xO --wildcards '*/vmlinu*' >"$kernel.$$" &&
		[ -s "$kernel.$$" ] || die "cannot unpack vmlinu* of $deb"
	mv "$kernel.$$" "$kernel"
	rm -r "$partial" "$state/lists"
	printf '%s\n' "$kernel"
	exit
done <<END
$list
END
die "cannot fetch $name (${tried#; })"
