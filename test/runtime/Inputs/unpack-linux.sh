#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# unpack-linux.sh TARBALL DIR SERIES...
#
# Unpacks into DIR what these series of patches change of a Linux source. To go through the whole
# archive takes a quarter of a minute, so a test does it once for all that it applies.
set -eu
tarball=$1 dir=$2
shift 2
patches=$(for series; do sed "s,^,$(dirname "$series")/," "$series"; done)
mkdir "$dir"
# What a patch makes a later one may change.
made=$(awk '/^--- \/dev\/null/ { getline; sub("^[+]+ b/", "*/"); print }' $patches)
{ sed -n 's,^--- a/,*/,p' $patches | sort -u | grep -vxF "${made:-none}"
	echo '*/scripts/checkpatch.pl'; } |
	tar -xf "$tarball" -C "$dir" --strip-components=1 --no-same-owner \
		--wildcards --no-wildcards-match-slash -T -
