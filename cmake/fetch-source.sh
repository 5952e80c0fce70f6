#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches the upstream tarball of a Debian source package and prints its path:
#
#   fetch-source.sh [-v UPSTREAM_VERSION] [-s SHA256] PACKAGE [SUITE...]
#
# Tries the SUITEs in order; the default is the system's own. apt checks the download
# against the signed index; -s also checks the download against a known sum. Resumes an
# interrupted download. Reuses an existing tarball.
set -eu
. "$(dirname "$0")/private-apt.sh"

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
# All calls of this script share one copy of apt's lists.
name=sources
wanted="$package${version:+ $version}"
result="$cache/sources/${package}_${version:-*}.orig.tar.*"

# Prints the newest upstream tarball in folder $1.
tarball_in() {
	find "$1" -name "${result##*/}" 2>/dev/null | sort -V | tail -n 1
}

check_sum() {
	[ -n "$sha256" ] || return 0
	sum=$(sha256sum <"$1")
	[ "${sum%% *}" = "$sha256" ] ||
		{ rm -f "$1"; die "$1 has sha256 ${sum%% *}, $sha256 is expected: removed, run again"; }
}

there() {
	tarball=$(tarball_in "$cache/sources")
	[ -z "$tarball" ] || {
		check_sum "$tarball"
		printf '%s\n' "$tarball"
		exit
	}
}
begin

# Prints the newest Debian version in the suite that has the wanted tarball.
debian_version() {
	apt-cache -c "$state/apt.conf" showsrc --only-source "$package" 2>/dev/null |
		awk -v name=" ${package}_$version" '
			/^Version:/ { v = $2 }
			index($0, name) && (name ~ /_$/ || index($0, name ".orig.tar.")) &&
				/[.]orig[.]tar[.]/ { print v }' |
		sort -uV | tail -n 1
}

take() {
	debian=$(debian_version)
	[ -n "$debian" ] || why='does not have it'
	[ -n "$debian" ] &&
		(cd "$partial" && apt_get source --download-only --tar-only "$package=$debian")
}
ask_suites '' "$(candidates "$@")" "${*:-this system}"

tarball=$(tarball_in "$partial")
[ -n "$tarball" ] || die "apt fetched no tarball of $wanted, see $log"
check_sum "$tarball"
mv "$tarball" "$cache/sources/"
there
