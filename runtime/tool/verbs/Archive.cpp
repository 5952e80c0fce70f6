// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `patchbay archive`: puts the names of functions into a recording, so that it can be
// read where the programs are not.
#include "InputOption.h"
#include "SymfsOption.h"
#include "names/NameArchive.h"
#include "names/TracedNames.h"
#include "reading/DataFile.h"
#include "recording/OutputDir.h"
#include "showing/Losses.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static cl::SubCommand
    ArchiveCommand("archive", "Put the names of functions into a recording");
static InputOption Input(ArchiveCommand);
static std::string Dir; // that it names
static SymfsOption Symfs(ArchiveCommand);

static constexpr char Help[] = R"(
  A recording has the symbols of the functions that were traced ('patchbay record
  --no-names' leaves them out). All other names are in the programs' files. This
  writes them into DIR, once for each program and library (by build id), so
  that DIR can be copied to another machine, and be read after the program was built
  anew. All verbs look there first.

  Names come from the file that was traced or, if it was stripped, from where debug
  files are: /usr/lib/debug by build id, what .gnu_debuglink names beside the file, in
  .debug there and in /usr/lib/debug, and then the servers that DEBUGINFOD_URLS names,
  where libdebuginfod is installed.

EXAMPLES:
  patchbay archive && tar czf server.tar.gz patchbay.data
  patchbay archive --symfs /srv/images/build-7 server.data

EXIT CODES:
  0  success
  1  no data; a data file is truncated or corrupt; names cannot be written; or there
     is a program whose names were not found, which is said
  2  wrong usage
)";

static Expected<int> runArchive(ArrayRef<const char *>) {
  if (Error E = Input.get().moveInto(Dir))
    return E;
  auto Files = dataFiles(Dir);
  if (!Files)
    return makeError("cannot read " + Dir + ": " + toString(Files.takeError()) +
                     ": make it with 'patchbay record'");
  if (Files->empty())
    return makeError(Dir + ": no process wrote data to it");
  TracedNames Names;
  Names.Sources = {Dir, Symfs};
  std::map<std::string, size_t> Modules; // with how many names they have
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
      // They are in DIR already, and may not be all of the file's.
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
         << printable(counted(Functions, "name") + " of " + utostr(Known) +
                      " of " + counted(Modules.size(), "module") +
                      " are in " + Dir + " now")
         << '\n';
  return AllRead && Known == Modules.size() ? Success : Failure;
}

const Verb patchbay::ArchiveVerb = {ArchiveCommand, Help, runArchive};
