// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms in which `patchbay dump` writes a trace, for other programs.
#ifndef PATCHBAY_TOOL_EXPORT_H
#define PATCHBAY_TOOL_EXPORT_H

#include "reading/CallStream.h"
#include "reading/Trace.h"
#include "llvm/Support/raw_ostream.h"

namespace patchbay {

// Each of them reads the calls of the trace, and keeps none.

/// One line per call.
void exportText(Trace &T, llvm::raw_ostream &OS);
/// RFC 4180, with a header line; as well for DuckDB, ClickHouse and the like.
void exportCsv(Trace &T, llvm::raw_ostream &OS);
/// One object per call and line.
void exportJson(Trace &T, llvm::raw_ostream &OS);
/// The Trace Event Format of Chromium, which Perfetto and speedscope read, too.
void exportChrome(Trace &T, llvm::raw_ostream &OS);
/// "thread;outer;inner SELF": stacks with nanoseconds, for flame graphs.
void exportFolded(Trace &T, llvm::raw_ostream &OS);
/// Perfetto's protobuf.
void exportPerfetto(Trace &T, llvm::raw_ostream &OS);
/// The gzipped protobuf of pprof: stacks with calls and their own nanoseconds.
llvm::Error exportPprof(Trace &T, llvm::raw_ostream &OS);
/// The protobuf of OpenTelemetry's protocol (OTLP): a span per call.
void exportOtlp(Trace &T, llvm::raw_ostream &OS);
/// Apache Parquet, one row per call.
void exportParquet(Trace &T, llvm::raw_ostream &OS);
/// The same in a tree of directories that others add to: see ParquetTree.h. Says on
/// stderr what it has now.
llvm::Error exportParquetTree(Trace &T, const std::string &Dir);

/// From the times of calls to nanoseconds since 1970. One for all processes, so
/// that the order between them is that of the clock which they share.
int64_t realtimeOffset(const Trace &T);
/// When the calls of Open from Depth on ended, which have ended together: see
/// CallSink::end(). One that did not return ends with the call that it is in, or
/// before the next that is not in it; nothing says when one ends that is open when the
/// thread's events end.
std::vector<std::optional<uint64_t>> endTimes(llvm::ArrayRef<TraceCall> Open,
                                              size_t Depth,
                                              std::optional<uint64_t> Next);
/// "returned", "unwound", "jumped", "unfinished", "entry".
llvm::StringRef kindName(TraceCall::KindT Kind);

} // namespace patchbay

#endif
