// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace as one page for a browser: flame graph, durations, timeline.
#ifndef PATCHBAY_TOOL_HTMLREPORT_H
#define PATCHBAY_TOOL_HTMLREPORT_H

#include "ReportTable.h"
#include "llvm/Support/raw_ostream.h"

namespace patchbay {

/// The page needs no network and nothing beside it. Its functions are sorted as
/// those of the table are. Dir is what the trace was read from.
void printHtml(Trace &T, llvm::StringRef Dir, Field By,
               llvm::raw_ostream &OS);

/// What the page's script is, apart from the trace.
extern const char HtmlHead[], HtmlScript[];

} // namespace patchbay

#endif
