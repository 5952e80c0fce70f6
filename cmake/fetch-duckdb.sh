#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs DuckDB into a Python environment of its own, below where downloads are
# kept, and prints its interpreter. Only a test needs it: no distribution that we
# build on has a package that reads Parquet.
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/patchbay
folder=$cache/duckdb
version=2.0.0

die() {
	printf 'fetch-duckdb: %s\n' "$*" >&2
	exit 1
}

if [ ! -x "$folder/bin/python3" ]; then
	mkdir -p "$cache" 2>/dev/null || die "cannot write to $cache: set XDG_CACHE_HOME"
	# An environment cannot be moved, so it is made where it will be; what is
	# incomplete is removed.
	trap 'rm -rf "$folder"' EXIT
	trap 'exit 1' HUP INT TERM
	python3 -m venv "$folder" >&2 ||
		die "cannot make a Python environment in $folder: install python3-venv"
	"$folder/bin/pip" install -q --disable-pip-version-check "duckdb==$version" >&2 ||
		die "pip cannot install duckdb $version, its messages are above"
	trap - EXIT HUP INT TERM
fi
printf '%s\n' "$folder/bin/python3"
