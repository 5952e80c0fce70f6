// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Verb.h"
#include "live/LiveNames.h"
#include "live/LiveProcess.h"
#include "recording/Visit.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace patchbay;

static StringRef stateName(unsigned State) {
  switch (State) {
  case LiveSite::Disarmed:
    return "disarmed";
  case LiveSite::Armed:
    return "armed";
  case LiveSite::Outside:
    return "outside";
  case LiveSite::NoSlot:
    return "no slot";
  case LiveSite::Unknown:
    return "unknown";
  case LiveSite::Foreign:
    return "foreign";
  case LiveSite::Changed:
    return "changed";
  default:
    return "?";
  }
}

static std::string hex(uint64_t N) { return formatv("{0:x}", N).str(); }

namespace {
struct Function {
  const LiveModule *Module;
  const LiveSite *Site;
  std::vector<StringRef> Names;
};

struct Totals {
  uint64_t Modules = 0, Sites = 0, Armed = 0;
  LiveCounters Counters;
};
} // namespace

static void printTable(ArrayRef<Function> Functions, LiveNames &Names) {
  Table T;
  T.addColumn("entry", Table::Right);
  T.addColumn("state", Table::Left);
  T.addColumn("function", Table::Names);
  // In a pipe, print these columns in full.
  T.addColumn("module", outputIsTerminal() ? Table::Left : Table::Whole);
  T.addColumn("tracers", outputIsTerminal() ? Table::Left : Table::Whole);
  for (const Function &F : Functions) {
    std::vector<std::string> Tracers;
    for (const LiveTracer &Tracer : F.Site->Tracers)
      Tracers.push_back(Names.describe(Tracer.Handler) + " data " +
                        hex(Tracer.Data));
    T.addRow({utohexstr(F.Site->Entry, /*LowerCase=*/true),
              stateName(F.Site->State).str(),
              Names.nameOf(F.Site->Entry),
              Names.fileAt(F.Site->Entry),
              Tracers.empty() ? "-" : join(Tracers, ", ")});
  }
  T.print(outs(), lineWidth());
}

// The reasons why sites could not be armed, with their counts.
static std::vector<std::pair<StringRef, uint64_t>>
refusals(const LiveCounters &C) {
  std::vector<std::pair<StringRef, uint64_t>> Result;
  for (unsigned State = 0; State != std::size(C.Refused); ++State)
    if (C.Refused[State])
      Result.push_back({stateName(State), C.Refused[State]});
  return Result;
}

static void printSummary(const Totals &T, unsigned Pid, bool HasRuntime) {
  const LiveCounters &C = T.Counters;
  if (!HasRuntime) {
    outs() << formatv("\n{0} in {1}; libpatchbay is not in the process: {2}\n",
                      counted(T.Sites, "function"), counted(T.Modules, "module"),
                      printable(recordAdvice(Pid, "loads it")));
    return;
  }
  outs() << formatv("\n{0} of {1} armed in {2}\n", T.Armed,
                    counted(T.Sites, "function"),
                    counted(T.Modules, "module"))
         << formatv("batches {0}, membarriers {1}, writes to text {2}",
                    C.Batches, C.Membarriers, C.TextWrites);
  outs() << '\n';
  for (const auto &[Reason, Count] : refusals(C))
    outs() << "refused " << Count << ": " << Reason << '\n';
  if (C.Left)
    outs() << "handlers left by siglongjmp(3) " << C.Left << '\n';
  if (C.Timeouts)
    outs() << "timed-out waits for handlers " << C.Timeouts
           << ", the last one for thread " << C.WaitedFor << '\n';
}

static void printJson(unsigned Pid, ArrayRef<Function> Functions,
                      LiveNames &Names, const Totals &T, bool HasRuntime) {
  json::OStream J(outs(), /*IndentSize=*/2);
  const LiveCounters &C = T.Counters;
  J.object([&] {
    J.attribute("pid", Pid);
    J.attribute("runtime", HasRuntime);
    J.attribute("modules", T.Modules);
    J.attribute("sites", T.Sites);
    J.attribute("armed", T.Armed);
    J.attribute("batches", C.Batches);
    J.attribute("membarriers", C.Membarriers);
    J.attribute("text_writes", C.TextWrites);
    J.attribute("left", C.Left);
    J.attribute("timeouts", C.Timeouts);
    J.attribute("waited_for", C.WaitedFor);
    J.attributeObject("refused", [&] {
      for (const auto &[Reason, Count] : refusals(C))
        J.attribute(Reason, Count);
    });
    J.attributeArray("functions", [&] {
      for (const Function &F : Functions)
        J.object([&] {
          J.attribute("name", json::fixUTF8(Names.nameOf(F.Site->Entry)));
          J.attributeArray("symbols", [&] {
            for (StringRef Name : F.Names)
              J.value(json::fixUTF8(Name));
          });
          J.attribute("module", json::fixUTF8(F.Module->Path));
          J.attribute("entry", hex(F.Site->Entry));
          J.attribute("state", stateName(F.Site->State));
          J.attributeArray("tracers", [&] {
            for (const LiveTracer &Tracer : F.Site->Tracers)
              J.object([&] {
                J.attribute("handler",
                            json::fixUTF8(Names.describe(Tracer.Handler)));
                J.attribute("address", hex(Tracer.Handler));
                J.attribute("data", hex(Tracer.Data));
              });
          });
        });
    });
  });
  outs() << '\n';
}

Expected<int> patchbay::listLive(unsigned Pid, NameFilter &Filter,
                                 NameFilter *Without, bool Json) {
  Expected<LiveProcess> Process = LiveProcess::open(Pid);
  if (!Process)
    return Process.takeError();
  Expected<std::vector<LiveModule>> Modules = Process->modules();
  if (!Modules)
    return Modules.takeError();

  std::vector<OtherModule> Others = Process->otherModules();
  // Add modules of later versions, which the process's older libpatchbay does not
  // recognize.
  for (OtherModule &M : otherVersionsMapped(Process->memory()))
    if (none_of(Others,
                [&](const OtherModule &Known) { return Known.Path == M.Path; }))
      Others.push_back(std::move(M));
  std::string Ours = Process->hasRuntime()
                         ? "the libpatchbay in process " + utostr(Pid)
                         : std::string("this patchbay");
  for (const OtherModule &M : Others)
    warn(M.Path + ": compiled for patchbay ABI version " + Twine(M.Version) +
         ", " + Ours + " is of version " + Twine(PATCHBAY_ABI_VERSION) +
         " and ignores its functions");

  LiveNames Names(Process->memory());
  std::vector<Function> Functions;
  Totals T;
  T.Counters = Process->counters();
  for (LiveModule &M : *Modules) {
    ++T.Modules;
    for (LiveSite &S : M.Sites) {
      // The process detects a moved function only when it arms the function.
      if (S.State == LiveSite::Disarmed && Names.isMoved(S.Entry))
        S.State = LiveSite::Outside;
      ++T.Sites;
      T.Armed += !S.Tracers.empty();
      Function F{&M, &S, Names.functionAt(S.Entry)};
      if (Filter.match(F.Names) != NameFilter::None &&
          (!Without || Without->match(F.Names) == NameFilter::None))
        Functions.push_back(std::move(F));
    }
  }
  std::string Where = "process " + utostr(Pid);
  if (!T.Sites)
    return makeError(NothingFound, Where + ": " + noRecords());
  if (std::string Unmatched = Filter.unmatched(); !Unmatched.empty()) {
    std::string Message = Where + ": no function matches " + Unmatched + ": " +
                          Filter.hint(Names.stripped());
    if (Functions.empty())
      return makeError(NothingFound, Message);
    warn(Message);
  }
  if (Json) {
    printJson(Pid, Functions, Names, T, Process->hasRuntime());
    return Success;
  }
  printTable(Functions, Names);
  printSummary(T, Pid, Process->hasRuntime());
  return Success;
}
