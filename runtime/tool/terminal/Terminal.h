// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Controls the whole terminal by ncurses. The library is loaded when a terminal
// is opened, so other parts of the command do not need it.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace patchbay {

enum class Style { Plain, Title, Bar, Selected, Quiet, Hot, Warm };

/// Codes of keys. Characters have their own codes.
namespace keys {
enum : int {
  None = -1, // no key in time, or the window has a new size
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
  F1, // F1 to F10, consecutive
  F10 = F1 + 9,
  Interrupt, // Ctrl-C, or a signal that asks the command to end
};
} // namespace keys

class Terminal {
public:
  /// Fails if standard input or output is no terminal, or without the library.
  static llvm::Error check();
  /// Fails for the same reasons, and if the terminal's type is unknown.
  static llvm::Expected<std::unique_ptr<Terminal>> open();
  ~Terminal();

  unsigned rows() const;
  unsigned columns() const;
  void clear();
  /// Cuts Text at Column + Width, and at the edge. Replaces characters that
  /// would move the cursor. With a Width, also fills the rest.
  void put(unsigned Row, unsigned Column, llvm::StringRef Text, Style S,
           unsigned Width = 0);
  /// Shows the text, and waits up to Ms for a key.
  int key(int Ms);

private:
  struct Library;
  Terminal() = default;
  std::unique_ptr<Library> Lib;
};

/// The columns that a terminal needs for Text, and Text cut to Columns.
size_t columnsOf(llvm::StringRef Text);
llvm::StringRef cutToColumns(llvm::StringRef Text, size_t Columns);

} // namespace patchbay
