// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions took, in the text format of Prometheus
// (prometheus.io/docs/instrumenting/exposition_formats), for a page that it scrapes or
// the folder of node_exporter's textfile collector.
#ifndef PATCHBAY_TOOL_PROMETHEUSTEXT_H
#define PATCHBAY_TOOL_PROMETHEUSTEXT_H

#include "Durations.h"
#include "llvm/Support/raw_ostream.h"

namespace patchbay {

/// Of the functions in Order. Those that have their name and module in common are
/// summed: nothing that stays the same from build to build would tell them apart. Lost
/// is how many events there was no place for.
void printPrometheus(const Trace &T, llvm::ArrayRef<FunctionDurations> Functions,
                     llvm::ArrayRef<size_t> Order, Apart By, uint64_t Lost,
                     llvm::raw_ostream &OS);

} // namespace patchbay

#endif
