#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# needs.sh TREE: prints for each ELF file of a tree its needed libraries (NEEDED) and their
# search path (RUNPATH).
set -eu
cd "$1"
find . -type f | sort | while read -r file; do
	readelf -d "$file" 2>/dev/null | awk -v file="${file#./}" '
		/\(NEEDED\)/ { gsub(/[][]/, "", $NF); line = line " " $NF }
		/\(R(UN)?PATH\)/ { gsub(/[][]/, "", $NF); line = line " in=" $NF }
		END { if (line) print file ":" line }'
done
