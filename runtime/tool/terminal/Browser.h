// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The views of some figures on a terminal, and the keys that lead from one to another.
#ifndef PATCHBAY_TOOL_BROWSER_H
#define PATCHBAY_TOOL_BROWSER_H

#include "Views.h"

namespace patchbay {

class Browser {
public:
  Browser(Terminal &Term, Figures &F);
  /// Until somebody leaves, or Refresh says that there is no more: it is called each
  /// IntervalMs, if that is not 0, and changes the figures.
  llvm::Error run(unsigned IntervalMs = 0,
                  llvm::function_ref<llvm::Expected<bool>()> Refresh = nullptr);

private:
  enum ViewKind { Functions, Tree, Callers, Callees, Histogram, Kinds };
  View &current() { return Help ? *Help : Kind == Functions ? Table : *Other; }
  void show(ViewKind K);
  void open(ViewKind K);
  llvm::Expected<bool> refresh(llvm::function_ref<llvm::Expected<bool>()> Refresh);
  void draw();
  bool handle(int Key); // false: leave
  bool type(int Key);
  void move(int64_t By);
  void enter();
  bool find(llvm::StringRef Text, bool Next);

  Terminal &Term;
  Figures &F;
  TableView Table;
  std::unique_ptr<View> Other, Help;
  ViewKind Kind = Functions;
  std::optional<uint32_t> Chosen; // the function that other views are of
  bool Typing = false, Paused = false;
  std::string Text; // what is typed, and looked for
};

} // namespace patchbay

#endif
