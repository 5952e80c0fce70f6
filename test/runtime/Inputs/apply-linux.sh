#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# apply-linux.sh TARBALL SERIES DIR
#
# Applies a series of patches to what it changes of a Linux source, unpacked into
# DIR, and prints how many lines each adds and removes.
set -eu
tarball=$1 series=$2 dir=$3
patches=$(sed "s,^,$(dirname "$series")/," "$series")
mkdir "$dir"
# What a patch makes a later one may change.
made=$(awk '/^--- \/dev\/null/ { getline; sub("^[+]+ b/", "*/"); print }' $patches)
sed -n 's,^--- a/,*/,p' $patches | sort -u | grep -vxF "${made:-none}" |
	tar -xf "$tarball" -C "$dir" --strip-components=1 --no-same-owner \
		--wildcards --no-wildcards-match-slash -T -
cd "$dir"
# Of its own, or git takes the paths as those of a repository around it.
git init -q
for patch in $patches; do
	git apply --check --whitespace=error-all "$patch"
	git apply "$patch"
	echo "$(basename "$patch"): $(git apply --numstat "$patch" |
		awk '{ added += $1; removed += $2 } END { print added, removed }')"
done
