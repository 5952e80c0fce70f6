#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# build-arena-fuzzer.sh CXX SOURCE-TREE TEST OUTPUT: builds the test and the recorder with
# sanitizers. The linker drops functions that the recorder does not call. Small chunks make a
# round 20 times faster.
set -e
cxx=$1 source=$2 test=$3 output=$4
llvm=$(dirname "$("$cxx" --print-prog-name=llvm-config)")/llvm-config
exec "$cxx" -std=c++17 -O1 -gline-tables-only -fno-exceptions -fno-rtti \
	-fsanitize=address,undefined -fno-sanitize=vptr,function \
	-fno-sanitize-recover=undefined -ffunction-sections \
	-isystem "$("$llvm" --includedir)" \
	-DPBA_CHUNK_SIZE='(UINT64_C(16) << 10)' -DPBA_CHUNKS_MAX=64 -DPBA_PAGES_MAX=256 \
	-D_GNU_SOURCE -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS \
	-I "$source/runtime" -I "$source/runtime/include" -I "$source/runtime/tool" \
	"$test" "$source/runtime/tool/recording/Recorder.cpp" \
	"$source/runtime/tool/recording/RecorderAreas.cpp" \
	"$source/runtime/tool/recording/DataWriter.cpp" \
	"$source/runtime/tool/reading/DataFiles.cpp" \
	"$source/runtime/tool/names/NameArchive.cpp" -pthread -fuse-ld=lld -Wl,--gc-sections \
	-L "$("$llvm" --libdir)" -lLLVM -Wl,-rpath,"$("$llvm" --libdir)" -o "$output"
