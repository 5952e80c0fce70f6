#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches Debian's prebuilt kernel and static busybox for an architecture, which
# test/system/run.py and test/kernel/run.py boot. Prints the folder:
#
#   fetch-system.sh ARCH [SUITE...]
#
# Tries the SUITEs in order; the default is bookworm, bookworm-security and trixie.
# Installs nothing. Resumes an interrupted download. Makes the folder in one step, and
# reuses an existing folder.
set -eu
. "$(dirname "$0")/private-apt.sh"

case ${1:-} in
aarch64) debian=arm64 meta=linux-image-arm64 ;;
ppc64le) debian=ppc64el meta=linux-image-powerpc64le ;;
riscv64) debian=riscv64 meta=linux-image-riscv64 ;;
x86_64) debian=amd64 meta=linux-image-amd64 ;;
*) die "no system for '${1:-}': use aarch64, ppc64le, riscv64 or x86_64" ;;
esac
name=system-$debian
wanted="a kernel for $1"
result=$cache/system/$1
shift
[ $# -gt 0 ] || set -- bookworm bookworm-security trixie
begin

# Prints the package that $meta depends on, if the suite has it.
kernel_package() {
	apt-cache -c "$state/apt.conf" show "$meta" 2>/dev/null |
		sed -n 's/^Depends:.*\(linux-image-[0-9][^ ,]*\).*/\1/p' | head -n 1
}

take() {
	kernel=$(kernel_package)
	[ -n "$kernel" ] || why="does not have $meta"
	[ -n "$kernel" ] && download "$kernel" busybox-static
}
ask_suites "$debian" "$(candidates "$@")" "$*"

# Unpacks a file of package $1, which matches the pattern $2, to $3.
unpack() {
	package=$(newest "$1_*.deb")
	dpkg-deb --fsys-tarfile "$package" | tar -xO --wildcards "./$2" >"$3" &&
		[ -s "$3" ] || die "cannot unpack $2 of $package into $3"
}
unpack_aside
mkdir "$unpacked"
unpack "$kernel" 'boot/vmlinu*' "$unpacked/kernel"
unpack busybox-static '*bin/busybox' "$unpacked/busybox"
finish
