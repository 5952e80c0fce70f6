// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"
#include "Pass.h"
#include "patchbay/names.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace patchbay;

/// Returns the first line that SpecialCaseList would skip silently, for example
/// because of a misspelt word, or an empty string.
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
                     "use mainfile:, which selects by the compiled file");
    if (Entry != "fun" && Entry != "mainfile")
      return Problem("unknown entry", "expected fun: or mainfile:");
    if (Pattern.contains('='))
      return Problem("unknown category", "expected none");
  }
  return {};
}

/// Reads all of \p Paths. An error names the file and the line.
static Error readLists(ArrayRef<std::string> Paths,
                       std::vector<std::unique_ptr<SpecialCaseList>> &Lists) {
  for (const std::string &Path : Paths) {
    auto File = MemoryBuffer::getFile(Path, /*IsText=*/true);
    if (!File)
      return createStringError(File.getError(), "can't open file '%s': %s",
                               Path.c_str(), File.getError().message().c_str());
    std::string Problem;
    Lists.push_back(SpecialCaseList::create(File->get(), Problem));
    if (Lists.back())
      Problem = findUnknown(**File);
    if (!Problem.empty())
      return createStringError("error parsing file '%s': %s", Path.c_str(),
                               Problem.c_str());
  }
  return Error::success();
}

/// Reads __attribute__((annotate("patchbay::..."))). LLVM keeps annotations in
/// a table of pointers to functions.
void Requests::readAnnotations(const Module &M, bool KernelMode) {
  const GlobalVariable *Table = M.getNamedGlobal("llvm.global.annotations");
  if (!Table || !Table->hasInitializer())
    return;
  for (const Use &Row : Table->getInitializer()->operands()) {
    const auto *Fields = cast<Constant>(Row);
    const Constant *Annotated = Fields->getAggregateElement(0u);
    const Constant *String = Fields->getAggregateElement(1);
    // Check the types, because IR may have any table with that name.
    if (!Annotated || !String)
      continue;
    const auto *F = dyn_cast<Function>(Annotated->stripPointerCasts());
    StringRef Text;
    if (!F || !getConstantStringInfo(String, Text) ||
        !Text.starts_with("patchbay::"))
      continue;
    if (Text == "patchbay::always")
      AnnotatedAlways.insert(F);
    else if (Text == "patchbay::never")
      AnnotatedNever.insert(F);
    else
      warn(*F, "unknown annotation '" + Text +
                   "': expected patchbay::always or patchbay::never");
  }
  if (KernelMode)
    return;
  for (const Function *F : AnnotatedAlways)
    if (const char *Reason = whyNever(*F))
      warn(*F, Twine("conflicting attributes: it is annotated "
                     "patchbay::always, but has no slot: ") +
                   Reason);
}

/// Returns why an attribute excludes the function, or null. Clang does not pass
/// no_instrument_function and patchable_function_entry(0, 0) to LLVM.
const char *Requests::whyNever(const Function &F) const {
  if (F.hasFnAttribute(Attribute::NoProfile))
    return "it is marked no_profile_instrument_function";
  if (F.getFnAttribute("function-instrument").getValueAsString() ==
      "xray-never")
    return "it is marked xray_never_instrument";
  if (AnnotatedNever.contains(&F))
    return "it is annotated patchbay::never";
  return nullptr;
}

std::string Requests::read(const Module &M, bool KernelMode) {
  if (Error E = readLists(options().AttrListPaths, Lists))
    return toString(std::move(E)) + "; nothing is instrumented";
  readAnnotations(M, KernelMode);
  StringRef File = M.getSourceFileName();
  if (isListed("always", "mainfile", File))
    OfModule = {Request::Always, "its main file is listed under [always]"};
  else if (isListed("never", "mainfile", File))
    OfModule = {Request::Never, "its main file is listed under [never]"};
  return {};
}

/// Returns the names that a list may use for a function: the symbol, the symbol
/// without the compiler's suffix, and the name in C. (The symbol of local(int)
/// is _ZL5locali.__uniq.7 with -funique-internal-linkage-names.)
static SmallVector<StringRef, 3> namesOf(const Function &F) {
  // For asm("name") in the source, LLVM puts an escape before the name.
  StringRef Symbol = GlobalValue::dropLLVMManglingEscape(F.getName());
  StringRef Source = Symbol.take_front(
      patchbay_source_name_length(Symbol.data(), Symbol.size()));
  SmallVector<StringRef, 3> Names = {Symbol};
  if (Source == Symbol)
    return Names;
  Names.push_back(Source);
  size_t Length;
  if (const char *Unique =
          patchbay_unique_name(Symbol.data(), Symbol.size(), &Length))
    Names.push_back(StringRef(Unique, Length));
  return Names;
}

bool Requests::isListed(StringRef Section, StringRef Entry,
                        StringRef Name) const {
  return any_of(Lists, [&](const auto &List) {
    return List->inSection(Section, Entry, Name);
  });
}

bool Requests::isListed(StringRef Section, const Function &F) const {
  return any_of(namesOf(F),
                [&](StringRef Name) { return isListed(Section, "fun", Name); });
}

bool Requests::exist() const {
  return !AnnotatedAlways.empty() || !AnnotatedNever.empty() ||
         !options().AttrListPaths.empty() || options().InstructionThreshold;
}

Request Requests::find(const Function &F) const {
  if (const char *Reason = whyNever(F))
    return {Request::Never, Reason, /*OfFunction=*/true};
  if (AnnotatedAlways.contains(&F))
    return {Request::Always, "it is annotated patchbay::always",
            /*OfFunction=*/true};
  if (isListed("always", F))
    return {Request::Always, "it is listed under [always]",
            /*OfFunction=*/true};
  if (isListed("never", F))
    return {Request::Never, "it is listed under [never]", /*OfFunction=*/true};
  return OfModule;
}
