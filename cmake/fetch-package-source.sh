#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches a Debian source package whole, with what Debian adds to upstream's tarball, and
# prints the path of its .dsc:
#
#   fetch-package-source.sh PACKAGE
#
# It is that of the system's own release. apt checks it against the signed index.
set -eu
. "$(dirname "$0")/private-apt.sh"

die() {
	printf 'fetch-package-source: %s\n' "$*" >&2
	exit 1
}

[ $# -eq 1 ] || die "name one source package"
package=$1
store=$cache/source-packages/$package

description() {
	find "$1" -maxdepth 1 -name "${package}_*.dsc" 2>/dev/null | sort -V | tail -n 1
}

if [ -z "$(description "$store")" ]; then
	command -v apt-get >/dev/null || die "cannot fetch $package: apt-get not found"
	mkdir -p "$cache/partial" 2>/dev/null || die "cannot write to $cache: set XDG_CACHE_HOME"
	alone "source-package-$package"
fi
if [ -z "$(description "$store")" ]; then
	list=$(candidates)
	[ -n "$list" ] || die "cannot fetch $package: apt has no mirror for this system"
	partial=$store.partial
	tried=
	while read -r mirror suite; do
		state=$cache/apt/$suite
		log=$state/log
		configure "$state" "$mirror" "$suite"
		rm -rf "$partial"
		mkdir -p "$partial"
		if apt-get -c "$state/apt.conf" -q --error-on=any update >"$log" 2>&1 &&
			(cd "$partial" && apt-get -c "$state/apt.conf" -q source \
				--only-source --download-only "$package") >"$log" 2>&1; then
			# Under its name once it is complete.
			rm -rf "$store"
			mv "$partial" "$store"
			break
		fi
		tried="$tried; $suite: $(reason "$log")"
	done <<-END
		$list
	END
	[ -n "$(description "$store")" ] || die "cannot fetch $package (${tried#; })"
fi
description "$store"
