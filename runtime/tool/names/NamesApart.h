// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names where there is too little room for them. What gives way, in this order:
// parameters, and the type of the result; template arguments; the namespaces
// and classes in front; and only then a part of what is left. No two names that
// differ ever look the same: what would is written with what tells it apart.
#ifndef PATCHBAY_TOOL_NAMESAPART_H
#define PATCHBAY_TOOL_NAMESAPART_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace patchbay {

/// Plain has what tells apart those that differ in template arguments or
/// parameters alone as it is in the name; of these, Differing leaves out which
/// are the same: "Map<int, ...>::find" and "Map<char, ...>::find".
enum class NameForm { Whole, WithoutParameters, Plain, Differing };

/// All but the first, in this order.
constexpr NameForm ShorterForms[] = {NameForm::WithoutParameters,
                                     NameForm::Plain, NameForm::Differing};

/// The names in this form; those that would look like another one in a fuller
/// form.
std::vector<std::string> inForm(llvm::ArrayRef<std::string> Names,
                                NameForm Form, llvm::StringRef Dots = "...");

/// Cut to Size characters, so far as they differ then: what tells two names
/// apart is there in both, whatever their length.
std::vector<std::string> cutTo(llvm::ArrayRef<std::string> Names, size_t Size);

/// For places of any width, of each name: all of it, then shorter and shorter
/// ones, none of which another name has; and last, which another one may have,
/// the function's own name, without dots in front.
std::vector<std::vector<std::string>>
allForms(llvm::ArrayRef<std::string> Names, llvm::StringRef Dots);

} // namespace patchbay

#endif
