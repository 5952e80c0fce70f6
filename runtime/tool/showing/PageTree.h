// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of calls as the page has it: of one recording, or of two side by side; small
// enough for a browser, with what is too rare to be seen summed where it was.
#ifndef PATCHBAY_TOOL_PAGETREE_H
#define PATCHBAY_TOOL_PAGETREE_H

#include "CallTree.h"

namespace patchbay {

struct PageSums {
  uint64_t Calls = 0, Total = 0, Self = 0, Open = 0, CutOff = 0;
};

struct PageNode {
  static constexpr uint32_t All = UINT32_MAX, Others = UINT32_MAX - 1;
  uint32_t Function; // of the page; All: the root; Others: see Paths
  uint32_t Parent, Depth;
  PageSums After, Before;
  uint32_t Paths = 0; // nodes that are summed here
};

class PageTree {
public:
  PageTree() { Nodes.push_back({PageNode::All, 0, 0, {}, {}, 0}); }
  /// Of says which of the page's functions those of the trace are.
  void add(const CallTree &Tree, llvm::ArrayRef<uint32_t> Of, bool IsBefore = false);
  /// Each node is followed by those below it, those of one parent by their time, longest
  /// first. What is too rare to be among the MaxNodes that took most is in one node
  /// below its parent.
  std::vector<PageNode> finish(size_t MaxNodes = 60000);

private:
  uint32_t sub(uint32_t Parent, uint32_t Function);
  void dropRare(size_t MaxNodes);

  std::vector<PageNode> Nodes; // each behind its parent
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Subs;
};

} // namespace patchbay

#endif
