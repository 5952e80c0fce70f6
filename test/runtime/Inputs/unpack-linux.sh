#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# unpack-linux.sh TARBALL DIR SERIES...
#
# Unpacks into DIR the files of a Linux source that these series of patches change. Reading
# the whole archive takes 15 seconds, so a test does this once for all its series.
set -eu
tarball=$1 dir=$2
shift 2
patches=$(for series; do sed "s,^,$(dirname "$series")/," "$series"; done)
mkdir "$dir"
# A later patch may change a file that an earlier patch created.
made=$(awk '/^--- \/dev\/null/ { getline; sub("^[+]+ b/", "*/"); print }' $patches)
{ sed -n 's,^--- a/,*/,p' $patches | sort -u | grep -vxF "${made:-none}"
	echo '*/scripts/checkpatch.pl'; } |
	tar -xf "$tarball" -C "$dir" --strip-components=1 --no-same-owner \
		--wildcards --no-wildcards-match-slash -T -
