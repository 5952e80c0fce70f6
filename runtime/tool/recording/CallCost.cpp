// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallCost.h"
#include "OutputDir.h"
#include "Program.h"
#include "Recorder.h"
#include "reading/Clock.h"
#include "reading/DataFiles.h"
#include "reading/EventWindows.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <fcntl.h>
#include <numeric>

using namespace llvm;
using namespace patchbay;

static constexpr unsigned Seconds = 20;

static Error failed(const Twine &Why) {
  return makeError("cannot measure what a traced call costs: " + Why);
}

static std::vector<std::string> environment(StringRef Tracer, StringRef Options) {
  std::vector<std::string> Result;
  for (char **Each = environ; *Each; ++Each)
    if (StringRef Word = *Each;
        !Word.starts_with("LD_PRELOAD=") && !Word.starts_with("PATCHBAY="))
      Result.push_back(Word.str());
  Result.push_back("LD_PRELOAD=" + Tracer.str());
  Result.push_back("PATCHBAY=" + Options.str());
  return Result;
}

// Runs the probe and returns its output. Folder: for temporary files.
static Expected<std::string> run(StringRef Probe, StringRef Folder,
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
  return File ? (*File)->getBuffer().trim().str() : "";
}

// Returns the mean of the middle half of all durations. The median would be too coarse,
// since a counter may advance in steps. The longest durations may include interruptions.
static uint64_t insideOf(StringRef Folder) {
  std::vector<uint64_t> Ticks;
  DataFile Data;
  auto Files = dataFiles(Folder);
  if (errorToBool(Files.takeError()) || Files->size() != 1 ||
      errorToBool(readDataFile(Files->front(), Data)) || !Data.Session)
    return 0;
  for (const auto &[Id, Thread] : Data.Threads) {
    EventWindows Windows(Data, Thread);
    EventWindows::Plan Plan;
    EventWindow Window;
    while (Windows.plan(Plan)) {
      EventWindows::make(Data, Plan, Window);
      for (const DataEvent &E : Window.Events)
        if (E.isCall())
          Ticks.push_back(E.Detail);
    }
  }
  llvm::sort(Ticks);
  ArrayRef<uint64_t> Middle = ArrayRef(Ticks).slice(Ticks.size() / 4, Ticks.size() / 2);
  if (Middle.empty())
    return 0;
  double Mean = double(std::accumulate(Middle.begin(), Middle.end(), uint64_t(0))) /
                double(Middle.size());
  return uint64_t(Mean * Clock(*Data.Session).nsPerTick() * 1000);
}

// Estimates the cost of a typical call from the cost of a probe call. A typical call costs
// less, since the processor overlaps tracing with the function's own work. On an idle AMD
// EPYC the ratio is 0.45 to 0.85, with median 0.75, for the functions of "run.py truth"
// that return no floating-point number. The range is the error of the estimate, since a
// recording does not show the overlap.
static uint64_t typical(uint64_t OfProbe) { return OfProbe - OfProbe / 4; }
static uint64_t spread(uint64_t OfProbe) { return OfProbe * 3 / 10; }

std::string CallCost::option() const {
  if (!Inside)
    return "";
  const uint64_t Outside = All - Inside, New = std::min(Pages, Outside);
  return ",cost=" + utostr(typical(Inside)) + "/" + utostr(typical(Outside - New) + New) +
         "/" + utostr(New) + "/" + utostr(Error);
}

Expected<CallCost> patchbay::measureCallCost(StringRef Tracer, StringRef Options,
                                             bool HasArena) {
  auto Probe = findProbe();
  if (!Probe)
    return Probe.takeError();
  SmallString<128> Folder;
  if (std::error_code EC = sys::fs::createUniqueDirectory("patchbay-cost", Folder))
    return failed(Folder + ": " + EC.message());
  scope_exit Remove([&] { sys::fs::remove_directories(Folder); });
  const Descriptor Dir = open(Folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::optional<Recorder> Arena;
  std::string Path = escapeOption(Folder);
  if (HasArena)
    Path += Arena.emplace(Dir).option();
  auto Said = run(*Probe, Folder,
                  environment(Tracer, (Options + ",filter=probe_*,output=" + Path).str()));
  Arena.reset();
  if (!Said)
    return Said.takeError();
  SmallVector<StringRef, 4> Words;
  SplitString(*Said, Words);
  uint64_t Plain, Traced;
  CallCost Cost;
  if (Words.size() != 4 || !to_integer(Words[0], Plain, 10) ||
      !to_integer(Words[1], Traced, 10) || !to_integer(Words[2], Cost.Pages, 10) ||
      !to_integer(Words[3], Cost.Error, 10))
    return failed(*Probe + " says nothing");
  Cost.All = Traced > Plain ? Traced - Plain : 1;
  Cost.Inside = std::min(insideOf(Folder), Cost.All);
  // The ratio in typical() varies more between programs than between rounds of the probe.
  Cost.Error = std::max(Cost.Error, spread(Cost.All));
  return Cost;
}
