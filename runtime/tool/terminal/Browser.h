// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows views of figures on a terminal, and handles the keys that all views share.
#pragma once

#include "Views.h"

namespace patchbay {

class Browser {
public:
  Browser(Terminal &Term, Figures &F);
  /// Runs until the user leaves, or until Refresh returns false. Calls Refresh
  /// every IntervalMs (0: never) to update the figures.
  llvm::Error run(unsigned IntervalMs = 0,
                  llvm::function_ref<llvm::Expected<bool>()> Refresh = nullptr);

private:
  enum ViewKind { Functions, Tree, Callers, Callees, Histogram, Outliers, Kinds };
  View &current() { return Help ? *Help : Kind == Functions ? Table : *Other; }
  void show(ViewKind K);
  void open(ViewKind K);
  llvm::Expected<bool> refresh(llvm::function_ref<llvm::Expected<bool>()> Refresh);
  void draw();
  bool handle(int Key); // Returns false if the user wants to leave.
  bool type(int Key);
  void move(int64_t By);
  bool find(llvm::StringRef Text, bool Next);

  Terminal &Term;
  Figures &F;
  TableView Table;
  std::unique_ptr<View> Other, Help;
  ViewKind Kind = Functions;
  std::optional<uint32_t> Chosen; // the selected function, which other views
                                  // show
  bool Typing = false, Paused = false;
  std::string Text; // typed text to search for
};

} // namespace patchbay
