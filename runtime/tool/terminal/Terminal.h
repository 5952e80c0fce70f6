// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole of a terminal, by ncurses: its library is loaded when this is opened, so that
// nothing else of the command waits for it.
#ifndef PATCHBAY_TOOL_TERMINAL_H
#define PATCHBAY_TOOL_TERMINAL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace patchbay {

enum class Style { Plain, Title, Bar, Selected, Quiet, Hot, Warm };

/// What a key is, besides characters, which are themselves.
namespace keys {
enum : int {
  None = -1, // none came in time, or the window has another size now
  Escape = 27,
  Enter = 0x1000,
  Up,
  Down,
  Left,
  Right,
  PageUp,
  PageDown,
  Home,
  End,
  Backspace,
  BackTab,
  F1, // to F10, one after the other
  F10 = F1 + 9,
  Interrupt, // Ctrl-C, or a signal that asks the command to end
};
} // namespace keys

class Terminal {
public:
  /// Fails if standard input and output are none, or without the library.
  static llvm::Error check();
  /// Fails for the same, and if it is of a kind that is not known.
  static llvm::Expected<std::unique_ptr<Terminal>> open();
  ~Terminal();

  unsigned rows() const;
  unsigned columns() const;
  void clear();
  /// Text is cut at Column + Width, and at the edge; characters that would move the
  /// cursor are shown as others. A Width fills what is left of it, too.
  void put(unsigned Row, unsigned Column, llvm::StringRef Text, Style S,
           unsigned Width = 0);
  /// Shows what was put, and waits so long for a key.
  int key(int Ms);

private:
  struct Library;
  Terminal() = default;
  std::unique_ptr<Library> Lib;
};

/// How many columns a terminal needs for Text, and Text cut to so many.
size_t columnsOf(llvm::StringRef Text);
llvm::StringRef cutToColumns(llvm::StringRef Text, size_t Columns);

} // namespace patchbay

#endif
