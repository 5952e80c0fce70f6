// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a recording, or the difference between two recordings, as a single HTML file
// that needs no network and no other file. The styles and scripts are in page/.
#pragma once

#include "CallNotes.h"
#include "PageTimeline.h"
#include "ReportTable.h"
#include "analysis/CallTree.h"

namespace patchbay {

/// A recording, prepared for the page.
struct PageSide {
  /// Reads the calls of T. Dir is the recording's directory.
  PageSide(Trace &T, llvm::StringRef Dir);

  Trace &T;
  std::string Dir;
  Timeline Times;
  std::vector<FunctionDurations> Functions;
  CallTree Tree;
  CallNotes Notes;
};

/// Prints the page. Before: nullptr, or the recording to compare with After. By: the field
/// to compare.
void printPage(PageSide &After, PageSide *Before, Field By, llvm::raw_ostream &OS);

/// The page without data, made from page/ at build time. printPage() replaces
/// "<!--NAME-->" by data.
extern const char HtmlTemplate[];

} // namespace patchbay
