// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callers and callees: calls are summed up if they were reached in the same way. A
// recursion makes the tree as deep as the recursion. So neither this code nor its users
// recurse.
#pragma once

#include "reading/CallStream.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <memory>
#include <string>

namespace patchbay {

struct CallNode {
  uint32_t Function; // in Trace::Functions
  uint32_t Parent;   // in the tree
  uint32_t Depth;    // 0 for those below the first node
  uint64_t Calls = 0, Total = 0, Self = 0;
  uint64_t Open = 0, CutOff = 0; // of Calls, those without a known return
  uint64_t Entries = 0;          // of Calls, those without a known duration
  uint64_t Measured = 0;         // Total plus the cost of tracing

  bool isMostlyCost() const { return patchbay::isMostlyCost(Measured, Total); }
};

/// Each node follows its parent. The first one has no function. Calls without a
/// caller are below it.
using CallTree = std::vector<CallNode>;

/// Makes a tree, in which nodes of the same function and parent are one.
class TreeMaker {
public:
  TreeMaker() { Tree.push_back({UINT32_MAX, 0, 0}); }
  uint32_t sub(uint32_t Parent, uint32_t Function);
  /// Adds numbers of From to a node. InTotal: no outer call of the function counts its time.
  void add(uint32_t Node, const CallNode &From, bool InTotal = true);
  CallTree finish();

private:
  CallTree Tree;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Subs; // by parent and function
};

/// Adds up the calls that it receives. With a root: only the root's callees, wherever it
/// was called. With Callers: only the root's callers. Then the nodes below a node are its
/// callers, and the numbers are those of the root's calls.
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
  std::vector<uint32_t> Nodes; // of open calls
  std::vector<bool> IsRoot;    // by function
};

/// The callers and the callees of a function, from the tree of all calls: the same as of a
/// TreeBuilder with this root.
CallTree callersOf(const CallTree &Tree, uint32_t Function);
CallTree calleesOf(const CallTree &Tree, uint32_t Function);

/// A tree for each name of threads. There are few names, since many threads
/// have the same one.
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

/// The indices of the nodes except the first, each followed by the nodes below
/// it. Less orders nodes with the same parent.
std::vector<uint32_t> inOrder(size_t Size, llvm::function_ref<uint32_t(uint32_t)> ParentOf,
                              llvm::function_ref<bool(uint32_t, uint32_t)> Less);
std::vector<uint32_t> inOrder(
    const CallTree &Tree,
    llvm::function_ref<bool(const CallNode &, const CallNode &)> Less);

} // namespace patchbay
