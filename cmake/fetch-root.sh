#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes a tar archive of a clean Debian system, and prints its path:
#
#   fetch-root.sh LLVM-MAJOR  of the running release, with clang and the other dependencies
#                             of Patchbay's packages, but not the packages
#   fetch-root.sh RELEASE     of that release, with only its essential packages
#
# Tests install Patchbay's packages or unpack its tarball in this system. Reuses an existing
# archive.
set -eu
. "$(dirname "$0")/private-apt.sh"

llvm=
case $#:${1:-} in
1:[a-z]*[!a-z]* | [!1]:* | 1:) die "usage: fetch-root.sh LLVM-MAJOR | RELEASE" ;;
1:[a-z]*)
	release=$1
	name=$release
	;;
1:*[!0-9]*) die "usage: fetch-root.sh LLVM-MAJOR | RELEASE" ;;
*)
	llvm=$1
	release=$(. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:-}") || release=
	[ -n "$release" ] || die "cannot tell what release of Debian this is: no VERSION_CODENAME in /etc/os-release"
	name=$release-llvm$llvm
	;;
esac
store=$cache/root
archive=$store/$name.tar
if [ -f "$archive" ]; then
	printf '%s\n' "$archive"
	exit
fi
command -v mmdebstrap >/dev/null || die "mmdebstrap not found: install mmdebstrap"
[ "$(id -u)" -eq 0 ] || die "no root of $release: only root can make one"

needed=
if [ -n "$llvm" ]; then
	# The dependencies of Patchbay's packages. Some names depend on the Debian release, so
	# take the names that are installed on this system.
	needed=clang-$llvm,libllvm$llvm,libc6-dev,libbpf1,pkgconf
	for package in $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'libelf1*' \
		'libstdc++-[0-9]*-dev' 2>/dev/null | sed -n 's/^installed //p'); do
		needed=$needed,$package
	done
	mirrors=$(candidates)
else
	mirrors=$(candidates "$release" | head -n 1)
fi
sources=$(printf '%s\n' "$mirrors" | sed 's/^/deb /; s/$/ main/')
mkdir -p "$store" "$cache/partial" 2>/dev/null || die "cannot write to $cache: set XDG_CACHE_HOME"
partial=$cache/partial/root-$name.tar
# On unstable, os-release has the name of the next release: take the suite of the sources.
suite=$release
case $sources in
*" $release main"*) ;;
*' sid main'*) suite=sid ;;
*' unstable main'*) suite=unstable ;;
esac
# Use the system's settings for downloads, for example a proxy.
apt-config dump Acquire >"$cache/partial/root.conf"
printf 'making a clean %s\n' "$release" >&2
printf '%s\n' "$sources" |
	mmdebstrap --quiet --mode=root --variant=minbase ${needed:+--include="$needed"} \
		--aptopt='APT::Install-Recommends "false"' --aptopt="$cache/partial/root.conf" \
		"$suite" "$partial" - >"$cache/partial/root.log" 2>&1 ||
	die "cannot make a root of $release: $(grep -m 1 '^E:' "$cache/partial/root.log" || tail -n 1 "$cache/partial/root.log")"
mv "$partial" "$archive"
printf '%s\n' "$archive"
