// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Controls the whole terminal through ncurses. The library is loaded when a terminal is opened,
// so that only `tui` needs the library.
#pragma once

#include "llvm/Support/Error.h"
#include <memory>

namespace patchbay {

enum class Style { Plain, Title, Bar, Selected, Quiet, Hot, Warm };

/// Codes of keys that are not characters.
namespace keys {
enum : int {
  None = -1, // timeout, or the window has a new size
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
  F1, // F1 to F10 are consecutive
  F10 = F1 + 9,
  Interrupt, // Ctrl-C, or a signal that asks the command to end
};
} // namespace keys

class Terminal {
public:
  /// Fails if standard input or output is no terminal, or if the library is
  /// missing.
  static llvm::Error check();
  /// Fails like check(), and if the type of the terminal is unknown.
  static llvm::Expected<std::unique_ptr<Terminal>> open();
  ~Terminal();

  unsigned rows() const;
  unsigned columns() const;
  void clear();
  /// Writes Text. Replaces characters that would move the cursor. Cuts Text at the edge of the
  /// window. If Width is not 0, cuts or fills Text to Width columns.
  void put(unsigned Row, unsigned Column, llvm::StringRef Text, Style S,
           unsigned Width = 0);
  /// Updates the screen, and waits up to Ms for a key.
  int key(int Ms);

private:
  struct Library;
  Terminal() = default;
  std::unique_ptr<Library> Lib;
};

/// columnsOf(): the number of columns of Text on a terminal. cutToColumns(): Text, cut to a
/// number of columns.
size_t columnsOf(llvm::StringRef Text);
llvm::StringRef cutToColumns(llvm::StringRef Text, size_t Columns);

} // namespace patchbay
