// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies data of traced processes from the arena, a shared memory, to their data files
// (runtime/trace/format/arena.h).
#pragma once

#include "DataWriter.h"
#include "trace/format/arena.h"
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <linux/futex.h>
#include <optional>
#include <pthread.h>

namespace patchbay {

// Offset and number of a block's records. Readers ignore the last record of a block, so
// MostRecords excludes it.
inline constexpr size_t RecordAt = offsetof(pbd_block, record);
inline constexpr size_t MostRecords = (PBA_CHUNK_SIZE - RecordAt) / sizeof(pbd_record) - 1;

// Counts the complete records at the beginning of a block. A record is complete once its
// last word is written. From: the number of records that are known to be complete.
inline size_t completeRecords(const char *Block, size_t From, size_t Most = MostRecords) {
  const auto *Record = reinterpret_cast<const pbd_record *>(Block + RecordAt);
  while (From != Most && __atomic_load_n(&Record[From].last, __ATOMIC_ACQUIRE))
    ++From;
  return From;
}

inline uint32_t stateOf(const pba_chunk &Shared) {
  return __atomic_load_n(&Shared.state, __ATOMIC_ACQUIRE);
}

inline bool isOwned(uint32_t State) { return State >= PBA_OWNED && State <= PBA_WRITTEN; }

inline pba_chunk headOf(const pba_chunk &Shared) {
  const uint32_t State = stateOf(Shared);
  pba_chunk Head = Shared;
  Head.state = State;
  return Head;
}

inline bool isOfFile(const pba_chunk &A, const pba_chunk &B) {
  return A.start_ns == B.start_ns && !memcmp(A.file, B.file, sizeof(A.file));
}

inline llvm::StringRef nameOf(const pba_chunk &Head) {
  return llvm::StringRef(Head.file, strnlen(Head.file, sizeof(Head.file)));
}

/// Does not trust the contents of the arena, since each recorded process can write to the
/// whole arena. Writes only to data files in its directory.
class Recorder {
public:
  /// Dir: the open directory, which must stay open. Rotates: processes switch to
  /// new files.
  explicit Recorder(int Dir, bool Rotates = false);
  Recorder(const Recorder &) = delete;
  ~Recorder();

  /// The PATCHBAY option for the processes. Empty if the arena could not be created;
  /// processes then map their files.
  std::string option() const;

  /// Writes all data, after the program has ended. If other processes are still recording,
  /// a background process continues this work until these processes have ended or have no
  /// block in the arena. The background process also calls MoreWork() until it returns
  /// false.
  void finish(llvm::function_ref<bool()> MoreWork = nullptr);

  /// Does the arena have data for this file, even if the file's process has ended?
  bool has(llvm::StringRef File, uint64_t StartNs) const;

  /// Returns nullptr if the arena could not be created.
  pba_arena *arena() const { return Arena; }

  /// Warns about blocks whose file was not found or could not be written, and about
  /// files that another program has truncated.
  void sayUnwritten(llvm::StringRef Output) const;

private:
  friend struct RecorderTest;

  // Progress of writing a chunk.
  struct Progress {
    uint64_t At = 0, StartNs = 0; // identify the block in the chunk, as in pba_chunk
    size_t Records = 0;           // number of written records
    unsigned Unchanged = 0;       // number of rounds without a new record
    bool IsHeld = false;          // the chunk is full, but a record is missing
    bool WasHeld = false;         // IsHeld was set, and all complete records are written
    unsigned Cuts = 0;            // DataWriter::cuts() when written
    std::vector<uint64_t> Pages;  // hashes of an area's pages as last written
    uint64_t Header = 0;          // hash of the header as last written
    bool IsComplete = false;      // everything is written and will not change
  };

  // A file's header, copied at the beginning of a round.
  struct Header {
    unsigned Page;
    pbd_header Content;
  };

  void announceEnd();
  void prepareChunks();
  static void *drain(void *Self);
  void drain();
  bool drainFull();
  void copyOwned(unsigned Nr, size_t Records);
  void drainOwned();
  void drainRest();
  bool hasOwned() const;
  void cleanReleased();
  void writeAndRelease(unsigned Nr);
  void goOnInBackground(llvm::function_ref<bool()> MoreWork);
  bool write(unsigned Nr, size_t Records);
  enum class Use { Process, None, Unknown };
  Use useOf(const pba_chunk &Head);
  void release(unsigned Nr);
  void abandon(unsigned Nr);
  DataWriter::File *openFile(const pba_chunk &Head);
  std::optional<pbd_header> headerOf(const pba_chunk &Head) const;
  bool writeTo(const pba_chunk &Head, const char *From, size_t Size, uint64_t At);
  char *memory(unsigned Nr) const;
  uint32_t state(unsigned Nr) const;

  void drainAreas(bool IsEnd);
  void drainArea(unsigned Page, bool IsEnd);
  bool writeArea(unsigned Page, const pba_chunk &Head);
  void releaseArea(unsigned Page, const pba_chunk &Head, bool MayBeInUse);
  Use useOfArea(unsigned Page, const pba_chunk &Head, bool IsEnd);
  void writeAndReleaseArea(unsigned Page, const pba_chunk &Head, Use By);
  void drainHeader(Header &Of, bool IsEnd);
  std::vector<FilePart> partsOf(const pba_chunk &Head, unsigned Cuts);
  unsigned usedPages() const;
  void lose(const pba_chunk &Head, uint64_t Size);
  void finish(const pba_chunk &Head, const char *From, uint64_t Size);
  uint64_t sizeOf(unsigned Page, const pba_chunk &Head) const;
  uint64_t committed(const pba_chunk &Head) const;
  char *page(unsigned Page) const;

  int Dir, Memory = -1;
  uint32_t Nr = 0, NrPages = 0, Id = 0;
  pba_arena *Arena = nullptr;
  std::array<Progress, PBA_CHUNKS_MAX> Known;
  std::map<unsigned, Progress> KnownAreas;
  std::vector<Header> Headers;
  DataWriter Files;
  // Memory that was released, but is not yet zeroed.
  struct Released {
    uint32_t *State;
    char *Begin;
    uint64_t Size;
  };
  std::vector<Released> Dirty;
  std::map<std::string, uint64_t> Lost; // bytes that cannot be written, by file
  uint64_t LostOfOthers = 0;
  unsigned Unwritten = 0, Prepared = 0, LooksUnused;
  std::atomic<bool> Ends = false;
  robust_list_head AtEnd = {};
  bool HasThread = false;
  pthread_t Thread;
};

} // namespace patchbay
