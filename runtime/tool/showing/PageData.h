// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data for the page's script: names and numbers as JSON, and bulk numbers as
// LEB128, compressed by zlib and encoded in Base64. page/data.js reads it.
#pragma once

#include "CallNotes.h"
#include "PageTimeline.h"
#include "analysis/CallTree.h"
#include "analysis/Durations.h"

namespace patchbay {

struct PageSums {
  uint64_t Calls = 0, Total = 0, Self = 0, Open = 0, CutOff = 0;
};

struct PageNode {
  static constexpr uint32_t All = UINT32_MAX, Others = UINT32_MAX - 1;
  uint32_t Function; // index in the page's functions
  uint32_t Parent, Depth;
  PageSums After, Before;
  uint32_t Paths = 0; // number of nodes that were summed up in this node
};

/// The tree of calls for the page, of one recording or of two side by side. It is limited
/// to the size that a browser handles: rare nodes are summed up below their parents.
class PageTree {
public:
  PageTree() { Nodes.push_back({PageNode::All, 0, 0, {}, {}, 0}); }
  /// Of: maps functions of the trace to those of the page.
  void add(const CallTree &Tree, llvm::ArrayRef<uint32_t> Of, bool IsBefore = false);
  /// Each node is followed by its descendants. Siblings are sorted by time,
  /// longest first. Only the MaxNodes nodes with most time are kept: others are
  /// summed up in one node below their parent.
  std::vector<PageNode> finish(size_t MaxNodes = 60000);

private:
  uint32_t sub(uint32_t Parent, uint32_t Function);
  void dropRare(size_t MaxNodes);

  std::vector<PageNode> Nodes; // each after its parent
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Subs;
};

struct PageFunction {
  std::string Name, Module;
  const FunctionDurations *After;
  const FunctionDurations *Before; // nullptr for a single recording
  std::string Source = {};         // "a.c:3"; empty if unknown
};

struct PageContent {
  const Trace *T, *Before; // Before: nullptr for a single recording
  std::vector<PageFunction> Functions;  // in the order of the table
  std::vector<uint32_t> PlaceOf;        // index in Functions
  std::vector<PageNode> Tree;
  std::string Dir; // directory of T
  Timeline *Times; // may be made coarser, until the data fits
  const CallNotes *Notes;
  std::string NoCalls, NoDurations; // why the page is empty; empty if it is not
};

/// The data, of at most MaxSize bytes unless names alone exceed that.
std::string pageData(const PageContent &Content, size_t MaxSize);

} // namespace patchbay
