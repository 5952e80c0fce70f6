// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NameArchive.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/xxhash.h"
#include <fcntl.h>
#include <sys/stat.h>

using namespace llvm;
using namespace patchbay;
using namespace llvm::support::endian;

// A file has the magic, the size of the data before compression (8 bytes), and the data,
// compressed by zlib. The data is the module's key with a NUL, followed by the symbols,
// little-endian.
static constexpr StringLiteral Magic("PBAYNAM1");
static constexpr size_t HeadSize = 16;
// A symbol has address, size, binding, st_other, and whether it is exported. A
// name with a NUL follows.
static constexpr size_t SymbolSize = 8 + 8 + 3;
// The highest expansion by zlib. A larger size is invalid.
static constexpr uint64_t MostPerByte = 1032;

static constexpr StringLiteral Suffix(".names");
static constexpr size_t KeyDigits = 16;

std::string patchbay::nameArchivePath(StringRef Dir, StringRef Key) {
  return (Dir + "/" +
          utohexstr(xxh3_64bits(Key), /*LowerCase=*/true, KeyDigits) + Suffix)
      .str();
}

bool patchbay::isNameArchive(StringRef Name) {
  return Name.consume_back(Suffix) && Name.size() == KeyDigits &&
         Name.find_first_not_of("0123456789abcdef") == StringRef::npos;
}

bool patchbay::hasNames(int File) {
  char Bytes[Magic.size()];
  return pread(File, Bytes, sizeof(Bytes), 0) == ssize_t(sizeof(Bytes)) &&
         StringRef(Bytes, sizeof(Bytes)) == Magic;
}

static void append64(std::string &To, uint64_t Number) {
  char Bytes[8];
  write64le(Bytes, Number);
  To.append(Bytes, sizeof(Bytes));
}

Error patchbay::writeNames(const std::string &Path, StringRef Key,
                           const SymbolNames &Names) {
  std::string Plain = Key.str();
  Plain += '\0';
  for (const SymbolNames::Symbol &S : Names.symbols()) {
    append64(Plain, S.Address);
    append64(Plain, S.Size);
    Plain += char(S.Binding);
    Plain += char(S.Other);
    Plain += char(S.Exported);
    Plain += S.Name;
    Plain += '\0';
  }
  if (!compression::zlib::isAvailable())
    return makeError("cannot write " + Path + ": LLVM was built without zlib");
  SmallVector<uint8_t> Small;
  compression::zlib::compress(arrayRefFromStringRef(Plain), Small);
  std::string Head = Magic.str();
  append64(Head, Plain.size());
  return handleErrors(writeToOutput(Path,
                                    [&](raw_ostream &OS) {
                                      OS << Head << toStringRef(Small);
                                      return Error::success();
                                    }),
                      [&](const ErrorInfoBase &E) {
                        return makeError("cannot write " + Path + ": " +
                                         E.message());
                      });
}

static Expected<std::string> unpacked(StringRef File) {
  if (!File.consume_front(Magic) || File.size() < HeadSize - Magic.size())
    return makeError("not names of functions");
  uint64_t Size = read64le(File.data());
  File = File.drop_front(8);
  if (Size / MostPerByte > File.size())
    return makeError("corrupt: " + Twine(Size) + " bytes in " +
                     Twine(File.size()));
  SmallVector<uint8_t> Plain;
  if (!compression::zlib::isAvailable())
    return makeError("LLVM was built without zlib");
  if (Error E = compression::zlib::decompress(arrayRefFromStringRef(File), Plain,
                                              Size))
    return std::move(E);
  return toStringRef(Plain).str();
}

static Error parse(StringRef Bytes, StringRef Key, SymbolNames &Names) {
  auto TakeText = [&](StringRef &Out) {
    size_t End = Bytes.find('\0');
    if (End == StringRef::npos)
      return false;
    Out = Bytes.take_front(End);
    Bytes = Bytes.drop_front(End + 1);
    return true;
  };
  // A build id is binary and may contain NUL.
  if (!Bytes.consume_front(Key) || !Bytes.consume_front(StringRef("\0", 1)))
    return makeError("of another program");
  while (!Bytes.empty()) {
    if (Bytes.size() < SymbolSize)
      return makeError("corrupt: the last name is incomplete");
    SymbolNames::Symbol S;
    S.Address = read64le(Bytes.data());
    S.Size = read64le(Bytes.data() + 8);
    S.Binding = uint8_t(Bytes[16]);
    S.Other = uint8_t(Bytes[17]);
    S.Exported = Bytes[18];
    Bytes = Bytes.drop_front(SymbolSize);
    if (!TakeText(S.Name))
      return makeError("corrupt: the last name is incomplete");
    Names.add(S);
  }
  Names.sort();
  return Error::success();
}

Expected<bool> patchbay::readNames(const std::string &Path, StringRef Key,
                                   std::string &Bytes, SymbolNames &Names) {
  struct stat Status;
  if (lstat(Path.c_str(), &Status) && errno == ENOENT)
    return false;
  auto Failed = [&](Error E) {
    return makeError(Path + ": " + toString(std::move(E)));
  };
  auto Mapped = MappedFile::open(Path, O_NOFOLLOW);
  if (!Mapped)
    return Failed(Mapped.takeError());
  auto Plain = unpacked(Mapped->bytes());
  if (!Plain)
    return Failed(Plain.takeError());
  Bytes = std::move(*Plain);
  if (Error E = parse(Bytes, Key, Names)) {
    Names = {};
    return Failed(std::move(E));
  }
  return true;
}
