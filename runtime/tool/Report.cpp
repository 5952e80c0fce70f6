// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay report`: what the processes of one recording counted, summed.
#include "ElfImage.h"
#include "NameFilter.h"
#include "OutputDir.h"
#include "DataFile.h"
#include "Table.h"
#include "TracedNames.h"
#include "Verb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace patchbay;

namespace {
enum SortKey { ByCalls, ByName };
}

static cl::SubCommand ReportCommand("report",
                                    "Show how often functions were called");
static cl::opt<std::string> Positional(cl::Positional, cl::desc("[DIR]"),
                                       cl::sub(ReportCommand),
                                       cl::cat(ToolOptions));
static cl::opt<std::string>
    InputDir("i", cl::Prefix, cl::value_desc("DIR"), cl::sub(ReportCommand),
             cl::cat(ToolOptions),
             cl::desc("Directory that 'patchbay record' wrote (default: "
                      "patchbay.data)"));
static cl::opt<SortKey>
    Sort("s", cl::Prefix, cl::value_desc("KEY"), cl::sub(ReportCommand),
         cl::cat(ToolOptions), cl::desc("Sort by"), cl::init(ByCalls),
         cl::values(clEnumValN(ByCalls, "calls", "calls, most first (default)"),
                    clEnumValN(ByName, "name", "function name")));
static cl::opt<bool> All("all", cl::sub(ReportCommand), cl::cat(ToolOptions),
                         cl::desc("Show also functions that were not called"));
static cl::opt<bool> Json("json", cl::desc("Print JSON"),
                          cl::sub(ReportCommand), cl::cat(ToolOptions));

static constexpr char Help[] = R"(
  Counts of several processes and of several copies of a module (same build
  id) are added up. A process that still runs can be reported on.

  Names are read from the files that were traced, so keep these where they
  were. One that was changed shows addresses; without a build id (link with
  -Wl,--build-id) that cannot be noticed, and names may be wrong.

EXAMPLES:
  patchbay report
  patchbay report -s name --all before.data
  patchbay report --json | jq '.functions[] | select(.calls > 1000)'

EXIT CODES:
  0  success
  1  no data or no function in it; a data file is truncated or corrupt (what
     precedes the damage is reported all the same); or some functions of a
     process were not traced
  2  wrong usage
)";

namespace {

struct Module {
  std::string Path;
  std::string BuildId;
  std::map<uint64_t, uint64_t> Calls; // by entry
};

struct Function {
  const Module *In;
  uint64_t Entry;
  uint64_t Calls;
  std::string Name;
};

struct Process {
  std::string File;
  DataFile Data;
};

/// A recording, summed: modules by what identifies them.
using Modules = std::map<std::string, Module>;

} // namespace

static void add(const DataFile &Data, Modules &Sum) {
  for (const auto &[Id, M] : Data.Modules) {
    Module &Target = Sum[moduleKey(M)];
    if (Target.Path.empty()) {
      Target.Path = M.Path;
      Target.BuildId = M.BuildId;
    }
  }
  for (const DataCounter &C : Data.Counters) {
    uint64_t &Calls = Sum[moduleKey(Data.Modules.at(C.Module))].Calls[C.Entry];
    Calls = SaturatingAdd(Calls, C.Calls);
  }
}

static void symbolize(const Module &M, TracedNames &Names,
                      std::vector<Function> &Functions) {
  DataModule File;
  File.BuildId = M.BuildId;
  File.Path = M.Path;
  for (const auto &[Entry, Calls] : M.Calls)
    Functions.push_back({&M, Entry, Calls, Names.function(File, Entry)});
}

static void sortFunctions(std::vector<Function> &Functions) {
  llvm::sort(Functions, [](const Function &A, const Function &B) {
    if (Sort == ByCalls && A.Calls != B.Calls)
      return A.Calls > B.Calls;
    return std::tie(A.Name, A.In->Path, A.Entry) <
           std::tie(B.Name, B.In->Path, B.Entry);
  });
}

static void printTable(ArrayRef<Function> Functions) {
  Table T;
  T.addColumn("calls", Table::Right);
  T.addColumn("function", Table::Left);
  T.addColumn("module", Table::Left);
  for (const Function &F : Functions)
    T.addRow(
        {utostr(F.Calls), F.Name, printable(sys::path::filename(F.In->Path))});
  T.print(outs());
}

static void printJson(ArrayRef<Process> Processes,
                      ArrayRef<Function> Functions) {
  json::OStream J(outs(), /*IndentSize=*/2);
  J.object([&] {
    J.attributeArray("processes", [&] {
      for (const Process &P : Processes)
        J.object([&] {
          J.attribute("file", json::fixUTF8(P.File));
          J.attribute("pid", P.Data.Pid);
          J.attribute("machine", P.Data.Machine);
          J.attribute("start_ns", P.Data.StartNs);
          J.attribute("errno", P.Data.Errno);
          J.attributeArray("args", [&] {
            for (const std::string &Arg : P.Data.Args)
              J.value(json::fixUTF8(Arg));
          });
        });
    });
    J.attributeArray("functions", [&] {
      for (const Function &F : Functions)
        J.object([&] {
          J.attribute("name", json::fixUTF8(F.Name));
          J.attribute("calls", F.Calls);
          J.attribute("entry", formatv("{0:x}", F.Entry).str());
          J.attribute("module", json::fixUTF8(F.In->Path));
          J.attribute("build_id", toHex(F.In->BuildId, /*LowerCase=*/true));
        });
    });
  });
  outs() << '\n';
}

// Counts that are missing look like functions that were not called.
static void warnIncomplete(const Process &P) {
  warn(Twine(P.File) + ": process " + Twine(P.Data.Pid) +
       (P.Data.Args.empty() ? "" : " (" + join(P.Data.Args, " ") + ")") +
       ": some functions were not traced: " +
       std::generic_category().message(P.Data.Errno));
}

static Expected<int> runReport(ArrayRef<const char *>) {
  if (!InputDir.empty() && !Positional.empty())
    return makeError(Usage, "give the directory once, either with -i or not");
  std::string Dir = DefaultDataDir;
  if (!InputDir.empty())
    Dir = InputDir;
  else if (!Positional.empty())
    Dir = Positional;
  auto Files = dataFiles(Dir);
  if (!Files)
    return makeError("cannot read " + Twine(Dir) + ": " +
                     toString(Files.takeError()) +
                     ": make it with 'patchbay record'");
  if (Files->empty())
    return makeError(Twine(Dir) + ": no process wrote data to it");

  int Code = Success;
  std::vector<Process> Processes;
  Modules Sum;
  for (const std::string &File : *Files) {
    Process P{File, {}};
    if (Error E = readDataFile(File, P.Data))
      Code = report(std::move(E));
    if (P.Data.Errno) {
      warnIncomplete(P);
      Code = Failure;
    }
    add(P.Data, Sum);
    Processes.push_back(std::move(P));
  }

  TracedNames Names;
  std::vector<Function> Functions;
  for (const auto &[Key, M] : Sum)
    if (!M.Calls.empty())
      symbolize(M, Names, Functions);
  size_t Traced = Functions.size();
  if (!All)
    llvm::erase_if(Functions, [](const Function &F) { return !F.Calls; });
  sortFunctions(Functions);
  if (Json)
    printJson(Processes, Functions);
  else
    printTable(Functions);
  if (!Traced && Code == Success)
    return makeError(Twine(Dir) + ": no function was traced");
  if (Functions.empty() && Traced && !Json)
    errs() << "patchbay: none of the " << Traced
           << " traced functions was called, --all shows them\n";
  return Code;
}

const Verb patchbay::ReportVerb = {ReportCommand, Help, runReport};
