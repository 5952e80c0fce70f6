// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay archive`: copies function names into a recording, so that the recording can be
// read without the programs.
#include "Verb.h"
#include "names/NameArchive.h"
#include "reading/DataFiles.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static OptionTable Options("archive", "Copy function names into a recording");
static InputOption Dir(Options);
static SymfsOption Symfs(Options);

static constexpr char Help[] = R"(
EXAMPLES:
  patchbay archive && tar czf server.tar.gz patchbay.data
  patchbay archive --symfs /srv/images/build-7 server.data

DESCRIPTION:
  A recording has the names of the traced functions, unless it was made with
  --no-names. All other names are in the files of the programs. 'archive' copies
  them into DIR, once for each program and library (build ID). Then DIR can be
  read on another machine, or after a rebuild. All verbs search DIR first.

DEBUG FILES:
  The names of a stripped file come from its debug file. The places are those
  of gdb, in this order:
    /usr/lib/debug   by build ID
    .gnu_debuglink   this name beside the file, in .debug beside it, and in
                     /usr/lib/debug
    DEBUGINFOD_URLS  these servers, if libdebuginfod is installed

EXIT CODES:
  0  success
  1  no data, damaged data, names that cannot be written, or a program whose
     names were not found
  2  wrong usage
)";

static Expected<int> runArchive(ArrayRef<const char *>) {
  auto Files = dataFiles(Dir);
  if (!Files)
    return makeError("cannot read " + Dir + ": " + toString(Files.takeError()) +
                     ": make it with 'patchbay record'");
  if (Files->empty())
    return makeError(Dir + ": no process wrote data to it");
  TracedNames Names;
  Names.Sources = {Dir, Symfs};
  std::map<std::string, size_t> Modules; // number of names for each module
  bool AllRead = true;
  for (const std::string &File : *Files) {
    DataFile Data;
    if (Error E = readDataSummary(File, Data)) {
      report(std::move(E));
      AllRead = false;
    }
    for (const auto &[Id, M] : Data.Modules) {
      std::string Key = moduleKey(M);
      if (!Modules.try_emplace(Key, 0).second)
        continue;
      const SymbolNames &Found = Names.symbols(M);
      if (Found.symbols().empty())
        continue;
      Modules[Key] = Found.symbols().size();
      // Do not save names that are known only from the recording.
      if (Names.areOnlyRecorded(M))
        continue;
      if (Error E = writeNames(nameArchivePath(Dir, Key), Key, Found))
        return std::move(E);
    }
  }
  size_t Known = 0, Functions = 0;
  for (const auto &[Key, N] : Modules) {
    Known += N != 0;
    Functions += N;
  }
  errs() << "patchbay: "
         << printable("archived " + counted(Functions, "name") + " of " + utostr(Known) +
                      " of " + counted(Modules.size(), "module") + " in " + Dir)
         << '\n';
  return AllRead && Known == Modules.size() ? Success : Failure;
}

const Verb patchbay::ArchiveVerb = {Options, Help, runArchive};
