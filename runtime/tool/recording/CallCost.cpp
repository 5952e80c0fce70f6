// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallCost.h"
#include "Diagnostics.h"
#include "Selection.h"
#include "TracerLibrary.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static constexpr unsigned Seconds = 20;

static Error failed(const Twine &Why) {
  return makeError("--max-overhead: cannot measure what a traced call costs: " + Why);
}

static std::vector<std::string> environment(StringRef Tracer, StringRef Options) {
  std::vector<std::string> Result;
  for (char **Each = environ; *Each; ++Each)
    if (StringRef Word = *Each;
        !Word.starts_with("LD_PRELOAD=") && !Word.starts_with("PATCHBAY="))
      Result.push_back(Word.str());
  if (!Tracer.empty()) {
    Result.push_back("LD_PRELOAD=" + Tracer.str());
    Result.push_back("PATCHBAY=" + Options.str());
  }
  return Result;
}

// Picoseconds per call. What it says goes into a file in the folder.
static Expected<uint64_t> run(StringRef Probe, StringRef Folder,
                              ArrayRef<std::string> Environment) {
  std::string Said = (Folder + "/said").str(), Errors = (Folder + "/errors").str();
  std::vector<StringRef> Env(Environment.begin(), Environment.end());
  std::string Why;
  int Status = sys::ExecuteAndWait(Probe, {Probe}, ArrayRef<StringRef>(Env),
                                   {StringRef(""), StringRef(Said), StringRef(Errors)},
                                   Seconds, /*MemoryLimit=*/0, &Why);
  if (auto File = MemoryBuffer::getFile(Errors);
      File && !(*File)->getBuffer().trim().empty())
    return failed((*File)->getBuffer().trim().split('\n').first);
  if (Status)
    return failed(Probe + ": " + (Why.empty() ? "exit code " + itostr(Status) : Why));
  auto File = MemoryBuffer::getFile(Said);
  uint64_t Picoseconds;
  if (!File || !to_integer((*File)->getBuffer().trim(), Picoseconds, 10))
    return failed(Probe + " says nothing");
  return Picoseconds;
}

Expected<uint64_t> patchbay::measureCallCost(StringRef Tracer, StringRef Options) {
  auto Probe = findProbe();
  if (!Probe)
    return Probe.takeError();
  SmallString<128> Folder;
  if (std::error_code EC = sys::fs::createUniqueDirectory("patchbay-cost", Folder))
    return failed(Folder + ": " + EC.message());
  scope_exit Remove([&] { sys::fs::remove_directories(Folder); });
  auto Plain = run(*Probe, Folder, environment("", ""));
  if (!Plain)
    return Plain;
  std::string Path = escapeOption(Folder);
  auto Traced = run(*Probe, Folder,
                    environment(Tracer, (Options + ",filter=probe_*,output=" + Path)
                                            .str()));
  if (!Traced)
    return Traced;
  return *Traced > *Plain ? *Traced - *Plain : 1;
}
