#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches Debian's generic kernel of a Linux release for an architecture, and prints the
# path of the boot file:
#
#   fetch-kernel.sh ARCH VERSION [SUITE...]
#
# Tries the SUITEs in order; the default is "trixie sid experimental". Installs nothing.
# Makes the file in one step, and reuses an existing file.
set -eu
. "$(dirname "$0")/private-apt.sh"

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
wanted=$name
result=$cache/sources/$name
begin

take() {
	# Since 7.2 the boot file is in a package of its own, linux-binary-*. The name of a
	# release candidate's package has two numbers.
	pattern="$(printf '%s' "$version" | sed 's/\./\\./g')([.~+][^-]*)?-$flavour"
	package=$(apt-cache -c "$state/apt.conf" pkgnames |
		grep -E "^linux-(binary|image)-$pattern\$" | sort -V | head -n 1)
	[ -n "$package" ] || why='does not have it'
	[ -n "$package" ] && download "$package"
}
ask_suites "$debian" "$(candidates "$@")" "$*"

deb=$(newest 'linux-*.deb')
unpack_aside
dpkg-deb --fsys-tarfile "$deb" |
	tar -xO --wildcards '*/vmlinu*' >"$unpacked" &&
	[ -s "$unpacked" ] || die "cannot unpack vmlinu* of $deb"
finish
