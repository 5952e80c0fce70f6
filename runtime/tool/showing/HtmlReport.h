// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording, or the difference between two, as a single page for a browser.
// It needs no network and no other file. page/ has its design and scripts.
#pragma once

#include "CallNotes.h"
#include "PageTimeline.h"
#include "ReportTable.h"
#include "analysis/CallTree.h"

namespace patchbay {

/// A recording for the page.
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

/// Functions are in the order of the table. Before: nullptr, or the recording
/// to compare with After; then By is the field to compare.
void printPage(PageSide &After, PageSide *Before, Field By, llvm::raw_ostream &OS);

/// The page without data, made from page/ at build time. "<!--NAME-->" marks
/// the place for each kind of data.
extern const char HtmlTemplate[];

} // namespace patchbay
