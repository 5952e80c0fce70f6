#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches what test/system/run.py and test/kernel/run.py boot, Debian's prebuilt
# kernel and static busybox of another architecture, and prints their folder:
#
#   fetch-system.sh ARCH [SUITE...]
#
# SUITEs are tried in order; without any, those that a Debian 12 can count on.
# Nothing is installed. An interrupted download is resumed; the folder appears
# when it is whole, and is reused.
set -eu
. "$(dirname "$0")/private-apt.sh"

die() {
	printf 'fetch-system: %s\n' "$*" >&2
	exit 1
}

case ${1:-} in
aarch64) debian=arm64 meta=linux-image-arm64 ;;
ppc64le) debian=ppc64el meta=linux-image-powerpc64le ;;
riscv64) debian=riscv64 meta=linux-image-riscv64 ;;
x86_64) debian=amd64 meta=linux-image-amd64 ;;
*) die "no system for '${1:-}': use aarch64, ppc64le, riscv64 or x86_64" ;;
esac
system=$cache/system/$1
wanted="a kernel for $1"
shift
[ $# -gt 0 ] || set -- bookworm bookworm-security trixie

if [ -f "$system/kernel" ] && [ -f "$system/busybox" ]; then
	printf '%s\n' "$system"
	exit
fi
command -v apt-get >/dev/null || die "cannot fetch $wanted: apt-get not found"
partial=$cache/partial/$debian
mkdir -p "$partial" "$cache/system" 2>/dev/null ||
	die "cannot write to $cache: set XDG_CACHE_HOME"

alone "system-$debian"
if [ -f "$system/kernel" ] && [ -f "$system/busybox" ]; then
	printf '%s\n' "$system"
	exit
fi

# Prints the package that package $2 stands for in the suite, if it has it.
kernel_package() {
	apt-cache -c "$1/apt.conf" show "$2" 2>/dev/null |
		sed -n 's/^Depends:.*\(linux-image-[0-9][^ ,]*\).*/\1/p' | head -n 1
}

# Unpacks file $2 of package $1, a pattern, to $3. An interrupted run may have
# left an older version of the package, too.
unpack() {
	package=$(find "$partial" -name "$1_*.deb" | sort -V | tail -n 1)
	dpkg-deb --fsys-tarfile "$package" | tar -xO --wildcards "./$2" >"$3" &&
		[ -s "$3" ] || die "cannot unpack $2 of $package into $3"
}

list=$(candidates "$@")
[ -n "$list" ] || die "cannot fetch $wanted: apt has no mirror for $*"
tried=
while read -r mirror suite; do
	state=$cache/apt/$suite-$debian
	log=$state/log
	configure "$state" "$mirror" "$suite" "$debian"
	printf 'looking for %s in %s\n' "$wanted" "$suite" >&2
	if ! apt-get -c "$state/apt.conf" -q --error-on=any update >"$log" 2>&1; then
		tried="$tried; $suite: $(reason "$log")"
		continue
	fi
	kernel=$(kernel_package "$state" "$meta")
	if [ -z "$kernel" ]; then
		tried="$tried; $suite: does not have $meta"
		continue
	fi
	if ! (cd "$partial" && apt-get -c "$state/apt.conf" -q download \
		"$kernel" busybox-static) >"$log" 2>&1; then
		tried="$tried; $suite: $(reason "$log")"
		continue
	fi
	# The rename at the end makes it appear whole or not at all.
	unpacked=$system.$$
	trap 'rm -rf "$unpacked"' EXIT
	trap 'exit 1' HUP INT TERM
	mkdir "$unpacked"
	unpack "$kernel" 'boot/vmlinu*' "$unpacked/kernel"
	unpack busybox-static '*bin/busybox' "$unpacked/busybox"
	rm -rf "$system"
	mv -T "$unpacked" "$system"
	rm -r "$partial" "$state/lists"
	printf '%s\n' "$system"
	exit
done <<END
$list
END
die "cannot fetch $wanted (${tried#; })"
