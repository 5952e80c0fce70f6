// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of calls for the page, of one recording or of two side by side. It
// is limited to the size that a browser handles: rare nodes are summed up below
// their parents.
#pragma once

#include "analysis/CallTree.h"

namespace patchbay {

struct PageSums {
  uint64_t Calls = 0, Total = 0, Self = 0, Open = 0, CutOff = 0;
};

struct PageNode {
  static constexpr uint32_t All = UINT32_MAX, Others = UINT32_MAX - 1;
  uint32_t Function; // index in the page's functions; All: the root; Others:
                     // see Paths
  uint32_t Parent, Depth;
  PageSums After, Before;
  uint32_t Paths = 0; // number of nodes that were summed up in this node
};

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

} // namespace patchbay
