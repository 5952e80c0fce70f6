// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for places of different widths, of which some are seen at a time: lines
// that scroll, nodes of a tree.
#ifndef PATCHBAY_TOOL_FITTEDNAMES_H
#define PATCHBAY_TOOL_FITTEDNAMES_H

#include <map>
#include <string>
#include <vector>

namespace patchbay {

/// As NamesApart.h has it, each name gives way only as far as its own place
/// asks for, and no two of all look the same, whichever are seen. What that
/// takes is done when the first name is too long, and once for each width.
class FittedNames {
public:
  /// What was found before is kept if they are the same names.
  void set(std::vector<std::string> All);
  /// One of them, in at most Width characters, unless that is too little to
  /// tell it from others.
  const std::string &in(size_t Name, size_t Width);

private:
  void findForms();
  const std::vector<std::string> &cut(size_t Width);

  std::vector<std::string> Names;
  std::vector<std::vector<std::string>> Forms; // of each, longest first
  std::vector<std::string> Shortest;           // with all identifiers
  std::map<size_t, std::vector<std::string>> Cut;
};

} // namespace patchbay

#endif
