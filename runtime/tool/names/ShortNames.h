// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short names of functions for narrow columns. Shortening removes, in this order: parameters
// and the result type; template arguments; leading namespaces and classes; the middle of the
// name. Different names always have different short names.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <array>
#include <map>
#include <string>
#include <vector>

namespace patchbay {

class ShortNames {
public:
  /// Plain: without template arguments. Equal plain names keep the arguments or parameters
  /// that differ: "Map<int, ...>::find" and "Map<char, ...>::find".
  enum Form { Whole, WithoutParameters, Plain };

  ShortNames() = default;
  explicit ShortNames(std::vector<std::string> Names, llvm::StringRef Dots = "...")
      : Dots(Dots) {
    set(std::move(Names));
  }
  /// Keeps cached results if the names have not changed.
  void set(std::vector<std::string> Names);
  /// The name in the form F.
  const std::string &in(size_t Name, Form F);
  /// The longest form that fits into Width. Longest: the longest permitted form. If no form
  /// fits, cuts the name to Width.
  const std::string &fit(size_t Name, size_t Width, Form Longest = Whole);
  /// All unique forms of a name, longest first.
  std::vector<std::string> all(size_t Name);
  /// The function's name without namespaces and classes, which may not be unique.
  std::string own(size_t Name) const;

private:
  void findForms();
  void findEnds();
  std::vector<std::string> cut(size_t Width) const;

  std::string Dots = "...";
  std::vector<std::string> Names;
  std::array<std::vector<std::string>, Plain + 1> Forms; // by form and name
  std::vector<std::vector<std::string>> Ends;            // by name: suffixes of
                                                         // the Plain form,
                                                         // longest first
  std::map<size_t, std::vector<std::string>> Cut;        // names cut to a width
};

} // namespace patchbay
