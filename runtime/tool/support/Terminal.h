// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard output to a terminal: starts a pager, as git and perf do, and adds
// colours.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

enum class ColorMode { Auto, Always, Never };

/// Call this before printing. Without a call, the mode is Auto, without a
/// pager. A pager gets all further standard output, and standard error if it is
/// the same terminal.
void setUpTerminal(ColorMode Mode, bool WithPager, bool FullNames);
/// Call this after printing. Returns when the user has left the pager.
void endPager();

/// Is standard output a terminal, possibly through a pager?
bool outputIsTerminal();
/// The width for tables: that of the terminal or, without one, COLUMNS or 100.
/// 0: do not shorten names.
unsigned lineWidth();

/// Does the output have colours? --color decides. By default, output to
/// terminals has them, unless NO_COLOR is set (no-color.org) or TERM is dumb.
bool outputHasColor();
bool errorsHaveColor();

enum class TextStyle { Bold, Red, Green, Yellow };
/// Adds a style to Text if standard output has colours.
std::string styled(llvm::StringRef Text, TextStyle S);

} // namespace patchbay
