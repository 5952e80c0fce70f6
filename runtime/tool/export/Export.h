// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats that `patchbay dump` writes for other programs.
#pragma once

#include "reading/CallStream.h"

namespace patchbay {

// Each function reads the calls of the trace, and does not keep them in memory.

/// Text with one line per call.
void exportText(Trace &T, llvm::raw_ostream &OS);
/// CSV by RFC 4180, with a header line.
void exportCsv(Trace &T, llvm::raw_ostream &OS);
/// JSON lines: one object per call.
void exportJson(Trace &T, llvm::raw_ostream &OS);
/// Chromium's Trace Event Format, which Perfetto and speedscope also read.
void exportChrome(Trace &T, llvm::raw_ostream &OS);
/// Stacks with self times in nanoseconds, for flame graphs: "thread;outer;inner
/// SELF".
void exportFolded(Trace &T, llvm::raw_ostream &OS);
/// Perfetto's protobuf.
void exportPerfetto(Trace &T, llvm::raw_ostream &OS);
/// pprof's protobuf, gzipped if LLVM has zlib: stacks with their calls and self times in
/// nanoseconds.
void exportPprof(Trace &T, llvm::raw_ostream &OS);
/// The protobuf of OpenTelemetry's protocol (OTLP): a span per call.
void exportOtlp(Trace &T, llvm::raw_ostream &OS);
/// Apache Parquet, one row per call.
void exportParquet(Trace &T, llvm::raw_ostream &OS);
/// Adds Parquet files to a tree of directories that many recordings share (ParquetTree.h).
/// Prints the tree's size to stderr.
llvm::Error exportParquetTree(Trace &T, const std::string &Dir);

/// The difference between nanoseconds since 1970 and times of calls. All processes use the same
/// offset, so that their calls stay in order.
int64_t realtimeOffset(const Trace &T);
/// End times of the calls of Open from Depth on, which have ended together (see
/// CallSink::end()). A call that did not return ends with its outer call, or before the next
/// call that is not nested in it. std::nullopt: the call is still open when the thread's events
/// end.
std::vector<std::optional<uint64_t>> endTimes(llvm::ArrayRef<TraceCall> Open,
                                              size_t Depth,
                                              std::optional<uint64_t> Next);
/// "returned", "unwound", "jumped", "unfinished", "entry".
llvm::StringRef kindName(TraceCall::KindT Kind);

} // namespace patchbay
