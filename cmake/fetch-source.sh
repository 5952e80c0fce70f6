#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches the upstream tarball of a Debian source package and prints its path:
#
#   fetch-source.sh [-v UPSTREAM_VERSION] [-s SHA256] PACKAGE [SUITE...]
#
# SUITEs are tried in order; without any, the system's own. apt checks what it
# downloads against the signed index; -s checks it against a known sum as well.
# An interrupted download is resumed, a finished one is kept and reused.
set -eu
. "$(dirname "$0")/private-apt.sh"

die() {
	printf 'fetch-source: %s\n' "$*" >&2
	exit 1
}

version='' sha256=''
while getopts v:s: option; do
	case $option in
	v) version=$OPTARG ;;
	s) sha256=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || die "no source package named"
package=$1
shift
wanted="$package${version:+ $version}"

store=$cache/sources
partial=$cache/partial
mkdir -p "$store" "$partial" 2>/dev/null || die "cannot write to $cache: set XDG_CACHE_HOME"

# Prints the upstream tarball that lies in folder $1, the newest if several do.
tarball_in() {
	find "$1" -name "${package}_${version:-*}.orig.tar.*" | sort -V | tail -n 1
}

check_sum() {
	[ -n "$sha256" ] || return 0
	sum=$(sha256sum <"$1")
	[ "${sum%% *}" = "$sha256" ] ||
		{ rm -f "$1"; die "$1 has sha256 ${sum%% *}, $sha256 is expected: removed, run again"; }
}

tarball=$(tarball_in "$store")
if [ -n "$tarball" ]; then
	check_sum "$tarball"
	printf '%s\n' "$tarball"
	exit
fi

command -v apt-get >/dev/null || die "cannot fetch $wanted: apt-get not found"

# Prints the newest Debian version in the suite whose tarball is wanted.
debian_version() {
	apt-cache -c "$1/apt.conf" showsrc --only-source "$package" 2>/dev/null |
		awk -v name=" ${package}_$version" '
			/^Version:/ { v = $2 }
			index($0, name) && (name ~ /_$/ || index($0, name ".orig.tar.")) &&
				/[.]orig[.]tar[.]/ { print v }' |
		sort -uV | tail -n 1
}

list=$(candidates "$@")
[ -n "$list" ] || die "cannot fetch $wanted: apt has no mirror for ${*:-this system}"
tried=
while read -r mirror suite; do
	state=$cache/apt/$suite
	log=$state/log
	configure "$state" "$mirror" "$suite"
	printf 'looking for %s in %s\n' "$wanted" "$suite" >&2
	if ! apt-get -c "$state/apt.conf" -q --error-on=any update >"$log" 2>&1; then
		tried="$tried; $suite: $(reason "$log")"
		continue
	fi
	debian=$(debian_version "$state")
	if [ -z "$debian" ]; then
		tried="$tried; $suite: does not have it"
		continue
	fi
	if ! (cd "$partial" && apt-get -c "$state/apt.conf" -q source --download-only \
		--tar-only "$package=$debian") >"$log" 2>&1; then
		tried="$tried; $suite: $(reason "$log")"
		continue
	fi
	tarball=$(tarball_in "$partial")
	[ -n "$tarball" ] || die "apt fetched no tarball of $wanted, see $log"
	check_sum "$tarball"
	mv "$tarball" "$store/"
	printf '%s\n' "$store/${tarball##*/}"
	exit
done <<END
$list
END
die "cannot fetch $wanted (${tried#; })"
