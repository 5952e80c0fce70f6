#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# [IGNORE=TYPES] am-linux.sh SOURCE SERIES DIR [alone]
#
# Applies a series with git am to a copy in DIR of the tree that unpack-linux.sh has unpacked
# into SOURCE: one patch after the other, or each alone. Prints the number of added and
# removed lines per patch, and the reports of checkpatch.pl. TYPES of reports are ignored, and
# so is the missing Signed-off-by, which the sender adds.
set -eu
source=$1 series=$2 dir=$3 alone=${4-}
patches=$(sed "s,^,$(dirname "$series")/," "$series")
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost
export GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
cp -r "$source" "$dir"
git -C "$dir" init -q
git -C "$dir" add -A
git -C "$dir" commit -q -m Linux
git -C "$dir" tag pristine
for patch in $patches; do
	[ ! "$alone" ] || git -C "$dir" reset -q --hard pristine
	git -C "$dir" am -q "$patch"
	echo "$(basename "$patch"): $(git -C "$dir" diff --numstat HEAD^ |
		awk '{ added += $1; removed += $2 } END { print added, removed }')"
	# The commits named in "Fixes:" lines are not in this repository.
	perl "$dir/scripts/checkpatch.pl" --strict --no-tree --no-signoff --terse \
		--ignore "UNKNOWN_COMMIT_ID,${IGNORE-}" "$patch" 2>/dev/null || echo "checkpatch: not clean"
done
