// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interprets the bytes of one data file, whose layout is in format.h. The caller finds and
// loads the file. The reader itself opens only the files of a forked process's ancestors.
#pragma once

#include "DataFile.h"
#include "support/Diagnostics.h"
#include <cstring>
#include <type_traits>

namespace patchbay {

/// The structure at an offset. Fields beyond the end of Bytes, which an older writer does
/// not write, are 0.
template <typename T> T structAt(llvm::StringRef Bytes, size_t At = 0) {
  T Value = {};
  Bytes = Bytes.drop_front(At).take_front(sizeof(T));
  memcpy(&Value, Bytes.data(), Bytes.size());
  return Value;
}
/// The element type of an array.
template <typename ArrayT> using ElementOf = std::remove_extent_t<ArrayT>;

class DataReader {
public:
  /// How much to read.
  enum DetailT {
    All,
    Outline, // without events, but with their number
    Summary, // also without functions and counts
  };
  DataReader(llvm::StringRef Path, llvm::StringRef Data, DataFile &Out,
             DetailT Detail)
      : Path(Path), Data(Data), Out(Out), Detail(Detail) {}
  llvm::Error read();
  llvm::Error readHeader();

  /// The contents of pbd_parent.
  struct Parent {
    std::string File;
    uint64_t Size = 0, StartNs = 0;
    uint32_t Pid = 0;
  };

private:
  llvm::Error readChunks();
  llvm::Error readChunk(uint32_t Kind, llvm::StringRef Chunk);
  llvm::Error readCmdline(llvm::StringRef Chunk);
  llvm::Error readModule(llvm::StringRef Chunk);
  llvm::Error readNames(llvm::StringRef Chunk);
  llvm::Error readCounters(llvm::StringRef Chunk);
  llvm::Error readSession(llvm::StringRef Chunk);
  llvm::Error readFunctions(llvm::StringRef Chunk);
  void readTable(uint64_t At);
  llvm::Expected<std::optional<pbd_blocks_entry>> inTable();
  llvm::Error readBlock(llvm::StringRef Chunk);
  void addBlock(llvm::StringRef Head, llvm::StringRef Chunk,
                std::optional<uint64_t> Events);
  llvm::Error readHistograms(llvm::StringRef Chunk);
  llvm::Error readSamples(llvm::StringRef Chunk);
  llvm::Error readLeftOut(llvm::StringRef Chunk);
  llvm::Error readOther(llvm::StringRef Chunk);
  llvm::Error readArguments(llvm::StringRef Chunk);
  llvm::Error readAsked(llvm::StringRef Chunk);
  llvm::Error readParent(llvm::StringRef Chunk);
  /// Data from the chunks of a parent's file that map numbers to functions.
  struct Maps {
    std::map<uint32_t, DataModule> Modules;
    std::map<std::pair<uint32_t, uint64_t>, DataArguments> Arguments;
    std::vector<DataLeftOut> LeftOut;
    std::shared_ptr<const FunctionTable> Table;
    std::optional<Parent> From;
    std::string Why; // why some chunks could not be read; empty: no error
  };
  static llvm::Expected<std::shared_ptr<const Maps>>
  mapsOf(const std::string &Name, const Parent &Of, DetailT Detail);
  llvm::Error readMaps(const Parent &Of);
  void addParents();
  void addTo(std::unordered_map<uint64_t, DataFunction> &Table) const;
  std::shared_ptr<const FunctionTable> tableOf() const;
  llvm::Error readLosses(llvm::StringRef Chunk);
  llvm::Error readIndex(llvm::StringRef Chunk);
  llvm::Error readWhy(llvm::StringRef Chunk);
  llvm::Error readSlow(llvm::StringRef Chunk);
  llvm::Error readMapped(llvm::StringRef Chunk);
  llvm::Error readPlace(llvm::StringRef Chunk);

  /// Returns an error that names the defect and its offset in the file.
  llvm::Error corrupt(uint64_t At, const llvm::Twine &What) const {
    return makeError(Path + ": corrupt at offset " + llvm::Twine(At) + ": " +
                     What);
  }
  llvm::Error truncated(uint64_t At) const {
    return makeError(Path + ": truncated at offset " + llvm::Twine(Data.size()) +
                     ": the part that begins at offset " + llvm::Twine(At) +
                     " is incomplete");
  }

  /// The Nr elements of the table that begins at At. At must be within the chunk. Fails if
  /// the table exceeds the chunk. What: a name for messages, such as "functions".
  template <typename T>
  llvm::Expected<std::vector<T>> elements(llvm::StringRef Chunk, size_t At, uint64_t Nr,
                                          const char *What, const char *Before = "") const {
    if (Nr > (Chunk.size() - At) / sizeof(T))
      return corrupt(Offset, Before + llvm::Twine(Nr) + " " + What + " in a chunk of " +
                                 llvm::Twine(Chunk.size()) + " bytes");
    std::vector<T> All(Nr);
    if (Nr)
      memcpy(All.data(), Chunk.data() + At, Nr * sizeof(T));
    return All;
  }
  /// Takes a string that ends with a NUL from Rest. What: a name for messages, such as
  /// "path".
  llvm::Error takeString(llvm::StringRef &Rest, llvm::StringRef &Text,
                         const char *What) const {
    const size_t End = Rest.find('\0');
    if (End == llvm::StringRef::npos)
      return corrupt(Offset, llvm::Twine(What) + " has no end");
    Text = Rest.take_front(End);
    Rest = Rest.drop_front(End + 1);
    return llvm::Error::success();
  }

  // A field for a name has no NUL if the name is as long as the field.
  template <size_t Size> static std::string name(const char (&Field)[Size]) {
    return std::string(Field, strnlen(Field, Size));
  }

  llvm::StringRef Path;
  llvm::StringRef Data;
  DataFile &Out;
  uint64_t Offset = 0; // offset of the chunk that is being read
  DetailT Detail;
  bool OnlyMaps = false;
  std::optional<Parent> From;
  std::string Functions; // functions of this file, without its ancestors: see addTo()
  uint64_t TableAt = 0; // offset of the file's struct pbd_blocks; 0: none
  llvm::StringRef Table; // remaining entries of the table
  std::optional<uint32_t> IndexSum; // std::nullopt without a table
};

/// Sorts the blocks of Out and adds their pieces to the threads of Out, without keeping
/// events: EventWindows.h reads the events. OnlyThreads: add only numbers and names of
/// threads. The functions of Out must be complete.
void addBlocks(DataFile &Out, bool OnlyThreads);

/// Adds the number of events to each thread of Out. In large files, the numbers are
/// approximate to save time. Sorts the blocks.
void countEvents(DataFile &Out);

} // namespace patchbay
