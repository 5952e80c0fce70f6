#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# build-fuzzer.sh CXX SOURCE-TREE OUTPUT
#
# Only what reads a recording is compiled again, with sanitizers; LLVM's library
# is as it is.
set -e
cxx=$1 source=$2 output=$3
llvm=$(dirname "$("$cxx" --print-prog-name=llvm-config)")/llvm-config
set --
for part in DataFile Diagnostics Durations ElfImage Export Histogram \
            NameFilter OutputDir PerfettoExport ReportTable Table Trace TracedNames \
            Values; do
	set -- "$@" "$source/runtime/tool/$part.cpp"
done
exec "$cxx" -std=c++17 -O1 -g -fno-exceptions -fno-rtti \
	-fsanitize=fuzzer,address,undefined -fno-sanitize=vptr,function \
	-fno-sanitize-recover=undefined \
	-isystem "$("$llvm" --includedir)" \
	-D_GNU_SOURCE -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS \
	-D__STDC_LIMIT_MACROS \
	-I "$source/runtime" -I "$source/runtime/include" \
	-I "$source/runtime/tool" -I "$source/runtime/trace" \
	-o "$output" "$source/test/runtime/Inputs/fuzz-data-file.cpp" "$@" \
	-L "$("$llvm" --libdir)" -lLLVM -Wl,-rpath,"$("$llvm" --libdir)"
