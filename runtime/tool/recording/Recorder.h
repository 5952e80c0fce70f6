// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what traced processes leave in the arena to their data files
// (runtime/trace/format/arena.h).
#ifndef PATCHBAY_TOOL_RECORDING_RECORDER_H
#define PATCHBAY_TOOL_RECORDING_RECORDER_H

#include "trace/format/arena.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <atomic>
#include <linux/futex.h>
#include <pthread.h>
#include <string>

namespace patchbay {

/// Does not trust the arena: each recorded process can write to all of it.
/// Writes only to blocks within data files in its directory.
class Recorder {
public:
  /// Dir: the open directory, which must stay open.
  explicit Recorder(int Dir);
  Recorder(const Recorder &) = delete;
  ~Recorder();

  /// The option for the processes; empty if the kernel makes no arena. Processes
  /// then map their files.
  std::string option() const;

  /// The program has ended: write everything. If processes are still recording,
  /// another process goes on until they have ended or have no block in the arena.
  void finish();

  /// Warns if there are blocks whose file was not found, or could not be written.
  void sayUnwritten(llvm::StringRef Output) const;

private:
  friend struct RecorderTest;

  // What is known about the content of a chunk.
  struct Progress {
    uint64_t At = 0, StartNs = 0; // of the block
    size_t Records = 0;           // written, from its first one on
    unsigned Unchanged = 0;       // rounds without a new record
    bool IsHeld = false;          // full, but a record is missing
    bool WasHeld = false;         // and all others are written
  };

  void announceEnd();
  void prepareChunks();
  static void *drain(void *Self);
  void drain();
  bool drainFull();
  void drainOwned();
  void drainRest();
  bool hasOwned() const;
  void writeAndRelease(unsigned Nr);
  void goOnInBackground();
  bool write(unsigned Nr, size_t Records);
  bool isInUse(unsigned Nr);
  void release(unsigned Nr);
  int openFile(const pba_chunk &Chunk);
  char *memory(unsigned Nr) const;
  uint32_t state(unsigned Nr) const;

  int Dir, Memory = -1;
  uint32_t Nr = 0, Id = 0;
  pba_arena *Arena = nullptr;
  std::array<Progress, PBA_CHUNKS_MAX> Known;
  // The file that was used last. Threads fill one block after another.
  int File = -1;
  std::string FileName;
  uint64_t FileStartNs = 0;
  unsigned Unwritten = 0, Prepared = 0;
  std::atomic<bool> Ends = false;
  robust_list_head AtEnd = {};
  bool HasThread = false;
  pthread_t Thread;
};

} // namespace patchbay

#endif
