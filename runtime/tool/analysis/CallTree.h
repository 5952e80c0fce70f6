// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees of callers and callees. Calls with the same stack trace are summed up in one
// node. A recursive function makes the tree as deep as its recursion, so neither this
// code nor its users recurse.
#pragma once

#include "reading/CallStream.h"
#include "llvm/ADT/DenseMap.h"

namespace patchbay {

struct CallNode {
  uint32_t Function; // index in Trace::Functions
  uint32_t Parent;   // index in the tree
  uint32_t Depth;    // 0 for those below the first node
  uint64_t Calls = 0, Total = 0, Self = 0;
  uint64_t Open = 0, CutOff = 0; // the calls among Calls without a known return
  uint64_t Entries = 0;          // the calls among Calls without a known
                                 // duration
  uint64_t Measured = 0;         // Total plus the cost of tracing

  bool isMostlyCost() const { return patchbay::isMostlyCost(Measured, Total); }
};

/// Each node comes after its parent. The first node has no function: it is the
/// parent of calls without a caller.
using CallTree = std::vector<CallNode>;

/// Builds a tree with one node for each parent and function.
class TreeMaker {
public:
  TreeMaker() { Tree.push_back({UINT32_MAX, 0, 0}); }
  uint32_t sub(uint32_t Parent, uint32_t Function);
  /// Adds the numbers of From to a node. InTotal: no outer call of the same function already
  /// counts its time.
  void add(uint32_t Node, const CallNode &From, bool InTotal = true);
  CallTree finish();

private:
  CallTree Tree;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Subs; // child nodes, by parent
                                                                // and function
};

/// Sums up the calls that it receives. With a root, it adds only the root's callees,
/// whatever called the root. With a root and Callers, it adds only the root's callers:
/// the nodes below a node are its callers, and the numbers are those of the root's calls.
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

/// The callers and the callees of a function, computed from the tree of all calls. A
/// TreeBuilder with this root gives the same result.
CallTree callersOf(const CallTree &Tree, uint32_t Function);
CallTree calleesOf(const CallTree &Tree, uint32_t Function);

/// One tree for each thread name. There are few names, since many threads share
/// one.
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

/// The indices of all nodes except the first, each node before its descendants.
/// Less orders nodes with the same parent.
std::vector<uint32_t> inOrder(size_t Size, llvm::function_ref<uint32_t(uint32_t)> ParentOf,
                              llvm::function_ref<bool(uint32_t, uint32_t)> Less);
std::vector<uint32_t> inOrder(
    const CallTree &Tree,
    llvm::function_ref<bool(const CallNode &, const CallNode &)> Less);

} // namespace patchbay
