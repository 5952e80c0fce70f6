// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For standard output to a terminal: a pager, as in git and perf, and colours.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

enum class ColorMode { Auto, Always, Never };

/// Call before printing. Without it the mode is Auto, without a pager. With a
/// pager, standard output goes to it from now on. So does standard error, if it
/// is the same terminal.
void setUpTerminal(ColorMode Mode, bool WithPager, bool FullNames);
/// Call after printing. Returns when the user has left the pager.
void endPager();

/// Does standard output go to a terminal, with or without a pager?
bool outputIsTerminal();
/// Width for lines of tables: that of the terminal, else COLUMNS, else 100. 0:
/// names are not shortened.
unsigned lineWidth();

/// Does the output have colours? --color decides. By default terminals have
/// them, unless NO_COLOR is set (no-color.org), or TERM is dumb.
bool outputHasColor();
bool errorsHaveColor();

enum class TextStyle { Bold, Red, Green, Yellow };
/// Text in a style if standard output has colours; otherwise Text.
std::string styled(llvm::StringRef Text, TextStyle S);

} // namespace patchbay
