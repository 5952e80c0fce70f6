// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the page's script reads, as text for a page: JSON with names and figures, then
// numbers in LEB128 for what there is much of; compressed by zlib, then Base64.
// page/data.js reads it.
#ifndef PATCHBAY_TOOL_PAGEDATA_H
#define PATCHBAY_TOOL_PAGEDATA_H

#include "CallNotes.h"
#include "Durations.h"
#include "PageTimeline.h"
#include "PageTree.h"

namespace patchbay {

struct PageFunction {
  std::string Name, Module;
  const FunctionDurations *After;
  const FunctionDurations *Before; // null if there is one recording only
};

struct PageContent {
  const Trace *T, *Before; // Before: null if there is one recording only
  std::vector<PageFunction> Functions;  // in the order of the table
  std::vector<uint32_t> PlaceOf;        // there, by index in T->Functions
  std::vector<PageNode> Tree;
  std::string Dir; // of T
  Timeline *Times; // is made coarser until all fits
  const CallNotes *Notes;
  std::string NoCalls, NoDurations; // why there is nothing to see; empty if there is
};

/// As short as MaxSize, unless names alone are more.
std::string pageData(const PageContent &Content, size_t MaxSize);

} // namespace patchbay

#endif
