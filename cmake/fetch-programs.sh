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

die() {
	printf 'fetch-programs: %s\n' "$*" >&2
	exit 1
}

case ${1:-} in
aarch64) debian=arm64 ;;
ppc64le) debian=ppc64el ;;
x86_64) debian=amd64 ;;
*) die "no packages for '${1:-}': use aarch64, ppc64le or x86_64" ;;
esac
arch=$1
shift
[ $# -gt 0 ] || die "no package named"
name=$(printf '%s\n' "$@" | sort | paste -sd+)
root=$cache/roots/$arch-$name

if [ -d "$root" ]; then
	printf '%s\n' "$root"
	exit
fi
command -v apt-get >/dev/null || die "cannot fetch $name: apt-get not found"
mkdir -p "$cache/partial" "$cache/roots" 2>/dev/null ||
	die "cannot write to $cache: set XDG_CACHE_HOME"
alone "$arch-$name"
if [ -d "$root" ]; then
	printf '%s\n' "$root"
	exit
fi

# The release, and not what it is updated from.
list=$(candidates | awk '$2 !~ /-(security|updates|backports)$/')
[ -n "$list" ] || die "cannot fetch $name: apt has no mirror"
tried=
while read -r mirror suite; do
	state=$cache/apt/$suite-$debian-$name
	log=$state/log
	configure "$state" "$mirror" "$suite" "$debian"
	printf 'looking for %s in %s\n' "$name" "$suite" >&2
	if ! apt-get -c "$state/apt.conf" -q --error-on=any update >"$log" 2>&1 ||
		! apt-get -c "$state/apt.conf" -q -y --no-install-recommends \
			--download-only install "$@" >"$log" 2>&1; then
		tried="$tried; $suite: $(reason "$log")"
		continue
	fi
	# The rename at the end makes it appear whole or not at all.
	unpacked=$root.$$
	trap 'rm -rf "$unpacked"' EXIT
	trap 'exit 1' HUP INT TERM
	mkdir "$unpacked"
	for deb in "$state"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -xC "$unpacked" --no-same-owner ||
			die "cannot unpack $deb"
	done
	mv -T "$unpacked" "$root"
	rm -r "$state/lists" "$state/cache"
	printf '%s\n' "$root"
	exit
done <<END
$list
END
die "cannot fetch $name (${tried#; })"
