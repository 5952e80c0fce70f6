// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ParquetTree.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <ctime>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;

static constexpr StringLiteral Suffix(".parquet");
// The name for a missing value in Hive, and in engines that follow Hive.
static constexpr StringLiteral NoValue("__HIVE_DEFAULT_PARTITION__");
// Limits the number of open files, and of rows in memory, which need about 100 bytes each. A
// process has one file for each of its modules.
static constexpr size_t MostOpen = 64;
static constexpr uint64_t MostPending = 1 << 18;

/// An unfinished file, with a temporary name that readers ignore.
struct ParquetTree::Part {
  Key Of;
  std::string Path, Temporary;
  int FD;
  std::unique_ptr<raw_fd_ostream> OS;
  std::unique_ptr<ParquetFile> File;
};

// Escapes characters with a meaning in paths, globs or URLs by URL encoding.
static std::string escaped(StringRef Value) {
  if (Value.empty())
    return NoValue.str();
  std::string Text;
  for (char C : Value)
    if (isAlnum(C) || C == '-' || C == '_' || C == '.')
      Text += C;
    else
      Text += "%" + toHex(StringRef(&C, 1));
  return Text;
}

static std::string dayText(int64_t Day) {
  time_t Time = Day * 24 * 60 * 60;
  struct tm Fields = {};
  char Text[32];
  gmtime_r(&Time, &Fields);
  strftime(Text, sizeof(Text), "%Y-%m-%d", &Fields);
  return Text;
}

ParquetTree::ParquetTree(StringRef Dir, ArrayRef<ParquetFile::Field> Fields)
    : Dir(Dir), Fields(Fields) {}

ParquetTree::~ParquetTree() {
  for (auto &[Of, P] : Open) {
    P->OS->close();
    P->OS->clear_error();
    sys::fs::remove(P->Temporary);
    sys::DontRemoveFileOnSignal(P->Temporary);
  }
}

Error ParquetTree::create() {
  if (std::error_code EC = sys::fs::create_directory(
          Dir, /*IgnoreExisting=*/true, sys::fs::all_all))
    return makeError("cannot create " + Dir + ": " + EC.message());
  if (!sys::fs::is_directory(Dir))
    return makeError("cannot write to " + Dir + ": not a directory");
  return Error::success();
}

void ParquetTree::fail(const Twine &Path, std::error_code EC) {
  if (Failed.empty())
    Failed = ("cannot write " + Path + ": " + EC.message()).str();
}

void ParquetTree::beginProcess(StringRef Host, uint64_t Start, uint32_t Pid) {
  HostDir = Dir + "/host=" + escaped(Host);
  Name = utostr(Start) + "-" + utostr(Pid);
  Parts.clear();
  Written.clear();
}

ParquetTree::Part *ParquetTree::open(const Key &Of) {
  auto P = std::make_unique<Part>();
  std::string Folder = HostDir + "/day=" + dayText(Of.first) +
                       "/build_id=" + escaped(Of.second);
  if (std::error_code EC = sys::fs::create_directories(
          Folder, /*IgnoreExisting=*/true, sys::fs::all_all)) {
    fail(Folder, EC);
    return nullptr;
  }
  unsigned Number = ++Parts[Of];
  std::string File = Name + (Number > 1 ? "-" + utostr(Number) : "");
  P->Of = Of;
  P->Path = (Folder + "/" + File + Suffix).str();
  P->Temporary = Folder + "/." + File + "." + utostr(getpid());
  if (std::error_code EC = sys::fs::openFileForWrite(P->Temporary, P->FD)) {
    fail(P->Temporary, EC);
    return nullptr;
  }
  sys::RemoveFileOnSignal(P->Temporary);
  P->OS = std::make_unique<raw_fd_ostream>(P->FD, /*shouldClose=*/true);
  P->File = std::make_unique<ParquetFile>(Fields, *P->OS);
  return (Open[Of] = std::move(P)).get();
}

ParquetFile *ParquetTree::at(int64_t Day, StringRef BuildId) {
  if (!Failed.empty())
    return nullptr;
  if (++Added == MostPending / 2) {
    Added = 0;
    writeLargest();
  }
  if (!Last || Last->Of.first != Day || Last->Of.second != BuildId) {
    Key Of(Day, BuildId);
    auto Found = Open.find(Of);
    if (Found == Open.end() && Open.size() == MostOpen)
      finishParts();
    Last = Found == Open.end() ? open(Of) : Found->second.get();
  }
  return Last ? Last->File.get() : nullptr;
}

// Writes the largest row groups early, so that the limit for rows in memory holds.
void ParquetTree::writeLargest() {
  auto Pending = [](const auto &Entry) { return Entry.second->File->pending(); };
  while (true) {
    uint64_t Sum = 0;
    auto Largest = Open.begin();
    for (auto At = Open.begin(); At != Open.end(); ++At) {
      Sum += Pending(*At);
      if (Pending(*At) > Pending(*Largest))
        Largest = At;
    }
    if (Sum <= MostPending / 2)
      return;
    Largest->second->File->flush();
  }
}

// Writes the rows in memory, syncs each file to disk, and then gives the file its final name.
void ParquetTree::finishParts() {
  for (auto &[Of, P] : Open) {
    P->File->finish();
    P->OS->flush();
    std::error_code EC = P->OS->error();
    if (!EC && fsync(P->FD))
      EC = errnoAsErrorCode();
    P->OS->close();
    if (!EC)
      EC = P->OS->error();
    P->OS->clear_error();
    if (!EC && Failed.empty())
      EC = sys::fs::rename(P->Temporary, P->Path);
    if (EC)
      fail(P->Path, EC);
    if (!Failed.empty())
      sys::fs::remove(P->Temporary);
    sys::DontRemoveFileOnSignal(P->Temporary);
    Written.insert(P->Path);
  }
  Files += Open.size();
  Open.clear();
  Last = nullptr;
}

// Removes this process's files of an earlier dump that the new dump did not replace. An earlier
// dump has more files if it selected more calls.
void ParquetTree::removeEarlier() {
  auto Each = [](const std::string &In, StringRef Prefix, auto Do) {
    std::error_code EC;
    std::vector<std::string> Found;
    for (sys::fs::directory_iterator At(In, EC), End; !EC && At != End;
         At.increment(EC))
      if (sys::path::filename(At->path()).starts_with(Prefix))
        Found.push_back(At->path());
    for (const std::string &Path : Found)
      Do(Path);
  };
  Each(HostDir, "day=", [&](const std::string &Day) {
    Each(Day, "build_id=", [&](const std::string &BuildId) {
      Each(BuildId, Name, [&](const std::string &Path) {
        StringRef Rest = sys::path::filename(Path).drop_front(Name.size());
        bool IsPart = Rest.consume_back(Suffix) &&
                      (Rest.empty() || (Rest.consume_front("-") && !Rest.empty() &&
                                        all_of(Rest, isDigit)));
        if (IsPart && !Written.count(Path))
          if (std::error_code EC = sys::fs::remove(Path))
            fail(Path, EC);
      });
    });
  });
}

void ParquetTree::endProcess() {
  finishParts();
  if (Failed.empty() && !Written.empty())
    removeEarlier();
}

Error ParquetTree::error() const {
  return Failed.empty() ? Error::success() : makeError(Failed);
}
