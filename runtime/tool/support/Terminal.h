// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts a pager and adds colours if standard output is a terminal, as git and perf do.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

enum class ColorMode { Auto, Always, Never };

/// Must be called before printing. Without a call, the mode is Auto without a pager. A pager gets
/// all further standard output, and standard error if that is the same terminal.
void setUpTerminal(ColorMode Mode, bool WithPager, bool FullNames);
/// Must be called after printing. Returns when the user has left the pager.
void endPager();

/// Is standard output a terminal, possibly through a pager?
bool outputIsTerminal();
/// The width for tables: the terminal's width; without a terminal, COLUMNS or 100. 0: do not
/// shorten names.
unsigned lineWidth();

/// Does the output have colours? --color decides. By default, output to a terminal has colours,
/// unless NO_COLOR is set (no-color.org) or TERM is dumb.
bool outputHasColor();
bool errorsHaveColor();

enum class TextStyle { Bold, Red, Green, Yellow };
/// Adds a style to Text if standard output has colours.
std::string styled(llvm::StringRef Text, TextStyle S);

} // namespace patchbay
