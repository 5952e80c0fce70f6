// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodes the data for the page's script: names and few numbers as JSON, many numbers as
// LEB128. Both are compressed by zlib and encoded in Base64. page/data.js decodes them.
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
  uint32_t Paths = 0; // number of nodes that were merged into this node
};

/// The call tree for the page, for one recording or for two side by side. finish() limits
/// the size to what a browser handles.
class PageTree {
public:
  PageTree() { Nodes.push_back({PageNode::All, 0, 0, {}, {}, 0}); }
  /// Of: maps functions of the trace to those of the page.
  void add(const CallTree &Tree, llvm::ArrayRef<uint32_t> Of, bool IsBefore = false);
  /// Returns the nodes, each followed by its descendants. Siblings are sorted by time,
  /// longest first. Keeps the MaxNodes nodes with most time. Merges further children of a
  /// node into one child with PageNode::Others.
  std::vector<PageNode> finish(size_t MaxNodes = 60000);

private:
  uint32_t sub(uint32_t Parent, uint32_t Function);
  void dropRare(size_t MaxNodes);

  std::vector<PageNode> Nodes; // each node comes after its parent
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
  Timeline *Times; // pageData() calls coarsen() until the data fits
  const CallNotes *Notes;
  std::string NoCalls, NoDurations; // why calls or durations are missing; may be empty
};

/// The data, of at most MaxSize bytes unless names alone exceed that.
std::string pageData(const PageContent &Content, size_t MaxSize);

} // namespace patchbay
