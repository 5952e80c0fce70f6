// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where standard output goes to a terminal: a pager, as git and perf have one, and colour.
#ifndef PATCHBAY_TOOL_TERMINAL_H
#define PATCHBAY_TOOL_TERMINAL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace patchbay {

enum class ColorMode { Auto, Always, Never };

/// Before anything is printed; else it is as with Auto, and without a pager. With one,
/// standard output and, if that is the same terminal, standard error lead to it from now
/// on.
void setUpTerminal(ColorMode Mode, bool WithPager, bool FullNames);
/// When all is printed: returns when its reader has seen enough.
void endPager();

/// Whether people read standard output on a terminal, with a pager or without.
bool outputIsTerminal();
/// In how many characters lines of tables should fit: those of that terminal, else COLUMNS,
/// else 100. 0: names are not shortened.
unsigned lineWidth();

/// Whether what is printed there has colours: as --color says; else on terminals, unless
/// NO_COLOR is set (no-color.org), or TERM is dumb.
bool outputHasColor();
bool errorsHaveColor();

enum class Style { Bold, Red, Green, Yellow };
/// Text in a style, if standard output has colours; else Text.
std::string styled(llvm::StringRef Text, Style S);

} // namespace patchbay

#endif
