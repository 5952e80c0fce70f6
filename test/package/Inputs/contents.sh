#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# contents.sh DEB...: prints a package's dependency fields and its files.
set -eu
for deb; do
	dpkg-deb -f "$deb" Package Depends Multi-Arch
	dpkg-deb -c "$deb" | awk '$6 !~ "/$" {print $1, $2, $6, $7, $8}' | sort -k3
done
