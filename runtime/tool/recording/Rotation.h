// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Renames and removes the files of a recording with rotation
// (runtime/trace/threads/rotate.h).
#pragma once

#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <chrono>
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
  uint64_t Keep = 0, MaxSize = 0, RotateSize = 0; // limits; 0: none
  uint64_t Recording = 0; // value for pbd_header, if there is a limit

  /// The PATCHBAY option for the processes.
  std::string option() const {
    return Recording ? ",recording=" + std::to_string(Recording) : "";
  }
};

/// Gives final names to the complete files of one recording, and removes the oldest files
/// beyond the limits. A file is complete when no process has locked it. Ignores files of
/// other recordings in the directory.
class Rotation {
public:
  /// Memory: the recorder that writes to this directory, or nullptr. Does nothing unless
  /// the recording rotates files.
  Rotation(std::string Dir, const RecordingLimits &Limits, Recorder *Memory = nullptr)
      : Dir(std::move(Dir)), Limits(Limits), Memory(Memory) {}
  Rotation(const Rotation &) = delete;
  ~Rotation() { stop(); }

  /// Checks several times a second, in a thread.
  void start();
  void stop();
  /// Checks once. Returns whether a process uses a file.
  bool look() { return look(/*IsEnd=*/false); }
  /// Checks for the last time. Returns the number of removed files.
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
  // Complete files by time and path, and their sizes on disk.
  std::map<std::pair<std::string, std::string>, uint64_t> Complete;
  timespec Seen = {}; // time of the directory's last known change
  std::chrono::steady_clock::time_point LastUse; // when a process last used a file
  uint64_t Removed = 0;
  bool IsBusy = false; // the last check found changes
  std::atomic<bool> Ends = false;
  std::thread Thread;
};

/// Do the limits permit Bytes more bytes in Dir?
bool hasRoom(const std::string &Dir, const RecordingLimits &Limits, uint64_t Bytes);

} // namespace patchbay
