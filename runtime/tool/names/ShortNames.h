// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of functions for places that are too narrow. A name loses, in this order:
// parameters and the type of the result; template arguments; namespaces and classes in
// front; its middle. Two names that differ never look the same.
#ifndef PATCHBAY_TOOL_SHORTNAMES_H
#define PATCHBAY_TOOL_SHORTNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <map>
#include <string>
#include <vector>

namespace patchbay {

class ShortNames {
public:
  /// Plain: without template arguments. Names that would look alike keep the arguments or
  /// parameters that tell them apart: "Map<int, ...>::find" and "Map<char, ...>::find".
  enum Form { Whole, WithoutParameters, Plain };

  ShortNames() = default;
  explicit ShortNames(std::vector<std::string> Names, llvm::StringRef Dots = "...")
      : Dots(Dots) {
    set(std::move(Names));
  }
  /// Keeps what it knows if these are the same names.
  void set(std::vector<std::string> Names);
  /// A name in this form.
  const std::string &in(size_t Name, Form F);
  /// The longest that fits, this form or a shorter one. A name is cut to Width if none does.
  const std::string &fit(size_t Name, size_t Width, Form Longest = Whole);
  /// Of a name, longest first: no other name has one of these.
  std::vector<std::string> all(size_t Name);
  /// The function's own name, without what is in front. Others may have the same.
  std::string own(size_t Name) const;

private:
  void findForms();
  void findEnds();
  std::vector<std::string> cut(size_t Width) const;

  std::string Dots = "...";
  std::vector<std::string> Names;
  std::array<std::vector<std::string>, Plain + 1> Forms; // by name
  std::vector<std::vector<std::string>> Ends;            // of Plain, by name, longest first
  std::map<size_t, std::vector<std::string>> Cut;        // by width
};

} // namespace patchbay

#endif
