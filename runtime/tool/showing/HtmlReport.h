// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording, or how one differs from another, as one page for a browser. It needs no
// network and nothing beside it. What it looks like, and what it does, is in page/.
#ifndef PATCHBAY_TOOL_HTMLREPORT_H
#define PATCHBAY_TOOL_HTMLREPORT_H

#include "CallNotes.h"
#include "CallTree.h"
#include "PageTimeline.h"
#include "ReportTable.h"
#include "llvm/Support/raw_ostream.h"

namespace patchbay {

/// A recording for the page.
struct PageSide {
  /// Reads the calls of T. Dir is what it was read from.
  PageSide(Trace &T, llvm::StringRef Dir);

  Trace &T;
  std::string Dir;
  Timeline Times;
  std::vector<FunctionDurations> Functions;
  CallTree Tree;
  CallNotes Notes;
};

/// Functions are sorted as those of the table are. Before: null, or what After is
/// compared with; then By is what has changed.
void printPage(PageSide &After, PageSide *Before, Field By, llvm::raw_ostream &OS);

/// The page apart from what is in a recording, made from page/ at build time; it has a
/// mark "<!--NAME-->" where something belongs.
extern const char HtmlTemplate[];

} // namespace patchbay

#endif
