// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees of callers and callees. All calls with the same stack trace form one node. This code and
// its users avoid recursion, since the tree of a recursive function is as deep as its recursion.
#pragma once

#include "reading/CallStream.h"
#include "llvm/ADT/DenseMap.h"

namespace patchbay {

struct CallNode {
  uint32_t Function; // index in Trace::Functions
  uint32_t Parent;   // index in the tree
  uint32_t Depth;    // 0 for children of the first node
  uint64_t Calls = 0, Total = 0, Self = 0;
  uint64_t Open = 0, CutOff = 0; // numbers of calls without a known return
  uint64_t Entries = 0;          // number of calls without a known duration
  uint64_t Measured = 0;         // Total plus the cost of tracing

  bool isMostlyCost() const { return patchbay::isMostlyCost(Measured, Total); }
};

/// Each node comes after its parent. The first node has no function, and is the parent of calls
/// without a caller.
using CallTree = std::vector<CallNode>;

/// Builds a tree with one node for each parent and function.
class TreeMaker {
public:
  TreeMaker() { Tree.push_back({UINT32_MAX, 0, 0}); }
  uint32_t sub(uint32_t Parent, uint32_t Function);
  /// Adds the numbers of From to a node. InTotal: also add Total and Measured. False if an outer
  /// call of the same function already includes them.
  void add(uint32_t Node, const CallNode &From, bool InTotal = true);
  CallTree finish();

private:
  CallTree Tree;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Subs; // child nodes, by parent
                                                                // and function
};

/// Builds a tree of the calls that it receives. Root: adds only calls of this function, and
/// calls within them, independently of the callers. Root with Callers: adds only the root's
/// callers. The children of a node are then its callers, and the numbers are of the root's
/// calls.
class TreeBuilder : public CallSink {
public:
  explicit TreeBuilder(Trace &T, llvm::StringRef Root = "", bool Callers = false)
      : T(T), Root(Root), Callers(Callers) {}
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;
  CallTree finish() { return Tree.finish(); }

private:
  bool isRoot(uint32_t Function);
  void addCallers(llvm::ArrayRef<TraceCall> Open);

  Trace &T;
  llvm::StringRef Root;
  bool Callers;
  TreeMaker Tree;
  std::vector<uint32_t> Nodes; // nodes of the open calls
  std::vector<bool> IsRoot;    // by function
};

/// The callers and the callees of a function, computed from the tree of all calls. The results
/// equal the results of TreeBuilder with this root.
CallTree callersOf(const CallTree &Tree, uint32_t Function);
CallTree calleesOf(const CallTree &Tree, uint32_t Function);

/// One tree for each thread name, since many threads may share a name.
class TreesByThread : public CallSink {
public:
  explicit TreesByThread(Trace &T) : T(T) {}
  void beginThread(const TraceThread &Thread) override {
    std::unique_ptr<TreeBuilder> &Of = Trees[Thread.Name];
    if (!Of)
      Of = std::make_unique<TreeBuilder>(T);
    Tree = Of.get();
  }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *V) override {
    Tree->begin(Open, V);
  }
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override {
    Tree->end(Open, Depth, Next);
  }

  std::map<std::string, std::unique_ptr<TreeBuilder>> Trees;

private:
  Trace &T;
  TreeBuilder *Tree = nullptr;
};

/// The indices of all nodes except the first, each before its descendants. Less: the order of
/// nodes with the same parent.
std::vector<uint32_t> inOrder(size_t Size, llvm::function_ref<uint32_t(uint32_t)> ParentOf,
                              llvm::function_ref<bool(uint32_t, uint32_t)> Less);
std::vector<uint32_t> inOrder(
    const CallTree &Tree,
    llvm::function_ref<bool(const CallNode &, const CallNode &)> Less);

} // namespace patchbay
