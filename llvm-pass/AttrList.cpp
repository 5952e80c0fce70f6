// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttrList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace patchbay;

/// What is wrong with a file that SpecialCaseList has read; empty if nothing
/// is. It skips what it does not know, and with it a misspelt word.
static std::string findUnknown(const MemoryBuffer &File) {
  bool InSection = false;
  for (line_iterator It(File, /*SkipBlanks=*/true, '#'); !It.is_at_eof();
       ++It) {
    StringRef Line = It->trim();
    auto Problem = [&](StringRef What, StringRef Help) {
      return formatv("{0} in line {1}: '{2}': {3}", What, It.line_number(),
                     Line, Help)
          .str();
    };
    if (Line.empty())
      continue;
    if (Line.starts_with("[")) {
      if (Line != "[always]" && Line != "[never]")
        return Problem("unknown section", "expected [always] or [never]");
      InSection = true;
      continue;
    }
    if (!InSection)
      return Problem("entry outside of a section",
                     "put it under [always] or [never]");
    auto [Entry, Pattern] = Line.split(':');
    if (Entry == "src")
      return Problem("unknown entry",
                     "the file a function is written in is not known to code "
                     "generation; mainfile: names the file that is compiled");
    if (Entry != "fun" && Entry != "mainfile")
      return Problem("unknown entry", "expected fun: or mainfile:");
    if (Pattern.contains('='))
      return Problem("unknown category", "expected none");
  }
  return {};
}

Error AttrList::read(ArrayRef<std::string> Paths) {
  for (const std::string &Path : Paths) {
    auto File = MemoryBuffer::getFile(Path, /*IsText=*/true);
    if (!File)
      return createStringError(File.getError(), "can't open file '%s': %s",
                               Path.c_str(), File.getError().message().c_str());
    std::string Problem;
    Files.push_back(SpecialCaseList::create(File->get(), Problem));
    if (Files.back())
      Problem = findUnknown(**File);
    if (!Problem.empty())
      return createStringError("error parsing file '%s': %s", Path.c_str(),
                               Problem.c_str());
  }
  return Error::success();
}

bool AttrList::matches(StringRef Section, StringRef Entry,
                       StringRef Name) const {
  return any_of(Files, [&](const auto &File) {
    return File->inSection(Section, Entry, Name);
  });
}
