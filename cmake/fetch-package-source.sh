#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fetches a complete Debian source package (upstream's tarball and Debian's changes) and
# prints the path of its .dsc:
#
#   fetch-package-source.sh PACKAGE
#
# Uses the system's own Debian release. apt checks the download against the signed index.
set -eu
. "$(dirname "$0")/private-apt.sh"

[ $# -eq 1 ] || die "name one source package"
package=$1
name=source-package-$package
wanted=$package
result=$cache/source-packages/$package

description() {
	find "$result" -maxdepth 1 -name "${package}_*.dsc" 2>/dev/null | sort -V | tail -n 1
}

there() {
	[ -z "$(description)" ] || {
		description
		exit
	}
}
begin

take() {
	# Remove files of other versions.
	rm -rf "$partial"
	mkdir "$partial"
	(cd "$partial" && apt_get source --only-source --download-only "$package")
}
ask_suites '' "$(candidates)" "this system"

unpacked=$partial
finish
