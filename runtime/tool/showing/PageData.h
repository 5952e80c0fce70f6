// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data for the page's script: names and numbers as JSON, and bulk numbers as
// LEB128, compressed by zlib and encoded in Base64. page/data.js reads it.
#pragma once

#include "CallNotes.h"
#include "PageTimeline.h"
#include "PageTree.h"
#include "analysis/Durations.h"

namespace patchbay {

struct PageFunction {
  std::string Name, Module;
  const FunctionDurations *After;
  const FunctionDurations *Before; // nullptr for a single recording
  std::string Source = {};         // "a.c:3"; empty if unknown
};

struct PageContent {
  const Trace *T, *Before; // Before: nullptr for a single recording
  std::vector<PageFunction> Functions;  // in the order of the table
  std::vector<uint32_t> PlaceOf;        // index in Functions, by index in
                                        // T->Functions
  std::vector<PageNode> Tree;
  std::string Dir; // directory of T
  Timeline *Times; // may be made coarser, until the data fits
  const CallNotes *Notes;
  std::string NoCalls, NoDurations; // why the page is empty; empty if it is not
};

/// The data, of at most MaxSize bytes unless names alone exceed that.
std::string pageData(const PageContent &Content, size_t MaxSize);

} // namespace patchbay
