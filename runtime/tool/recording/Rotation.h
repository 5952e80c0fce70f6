// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and removes the files of a recording with many files (runtime/trace/threads/rotate.h).
#pragma once

#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace patchbay {

class Recorder;

struct RecordingLimits {
  bool Rotates = false;
  uint64_t Keep = 0, MaxSize = 0, RotateSize = 0; // 0: no limit
  uint64_t Recording = 0; // as in pbd_header, if there is a limit

  /// The option for the processes.
  std::string option() const {
    return Recording ? ",recording=" + std::to_string(Recording) : "";
  }
};

/// Finds the files of one recording in a directory, and leaves all others alone. Gives
/// final names to files that no process has locked and that are written. Removes the oldest
/// of these.
class Rotation {
public:
  /// Memory: of the recorder that writes to this directory, or null. Does nothing unless
  /// the recording rotates.
  Rotation(std::string Dir, const RecordingLimits &Limits, Recorder *Memory = nullptr)
      : Dir(std::move(Dir)), Limits(Limits), Memory(Memory) {}
  Rotation(const Rotation &) = delete;
  ~Rotation() { stop(); }

  /// Looks several times a second, in a thread.
  void start();
  void stop();
  /// Looks once. Returns whether a process uses a file.
  bool look() { return look(/*IsEnd=*/false); }
  /// Looks for the last time. Returns how many files were removed.
  uint64_t finish();

private:
  bool look(bool IsEnd);
  void readNames();
  bool isOurs(const std::string &File) const;
  bool isInUse(const std::string &File) const;
  void makeRoom(uint64_t MostBytes, size_t Least);

  std::string Dir;
  RecordingLimits Limits;
  Recorder *Memory;
  std::vector<std::string> Written;
  // Complete files by time and path, and their bytes on disk.
  std::map<std::pair<std::string, std::string>, uint64_t> Complete;
  timespec Seen = {}; // when the directory had changed
  uint64_t Removed = 0;
  bool IsBusy = false; // the last check has changed something
  std::atomic<bool> Ends = false;
  std::thread Thread;
};

/// Do this many more bytes fit into the limit?
bool hasRoom(const std::string &Dir, const RecordingLimits &Limits, uint64_t Bytes);

} // namespace patchbay
