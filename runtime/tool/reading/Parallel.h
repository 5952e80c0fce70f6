// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs jobs on all processors, returns their results in order, and shows progress.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

namespace patchbay {

/// Threads that run jobs in the order of requests. Their number is the number of processors
/// that this process may use, minus one for the requesting thread, but at most MaxWorkers.
/// They are started when FewJobs jobs have been requested.
class Workers {
public:
  Workers() = default;
  ~Workers() { *Ending = true; } // the pool's destructor waits for jobs that have begun
  Workers(const Workers &) = delete;

  /// A job that runs once. The object must not move before it has run.
  class Job {
  public:
    std::function<void()> Do;

  private:
    friend class Workers;
    std::shared_ptr<std::atomic_flag> Taken; // null: not requested from a worker
    std::shared_future<void> Done;
  };
  /// Queues a job for the workers.
  void ask(Job &J);
  /// Runs the job in this thread if no worker has begun it. Returns when the job is done.
  void finish(Job &J);

private:
  // Running fewer jobs takes less time than starting threads.
  static constexpr size_t FewJobs = 8;
  size_t All = 0;
  std::shared_ptr<std::atomic<bool>> Ending = std::make_shared<std::atomic<bool>>(false);
  std::optional<llvm::StdThreadPool> Pool;
};

/// The number of jobs to queue before the first is finished.
size_t jobsAhead();

/// Calls Do(I) for each I below N, concurrently. Calls Use(I) after Do(I), one at a time in
/// the order of I.
void inOrder(size_t N, llvm::function_ref<void(size_t)> Do,
             llvm::function_ref<void(size_t)> Use);

/// Copies From to To with streaming stores, which bypass this processor's caches (Intel's
/// Optimization Reference Manual, 9.4.1; also in AMD's Software Optimization Guides). With
/// normal stores, each cache line of a reused buffer would move from the reading processor
/// for writing, and back for reading. Between distant processors, these moves take longer
/// than the work on the data.
template <typename T>
void handOver(const std::vector<T> &From, std::vector<T> &To) {
  static_assert(std::is_trivially_copyable_v<T>);
  To.resize(From.size());
#if defined(__x86_64__) && defined(__clang__)
  static_assert(sizeof(T) % sizeof(uint64_t) == 0);
  for (size_t I = 0; I != From.size() * sizeof(T) / sizeof(uint64_t); ++I) {
    uint64_t Word;
    std::memcpy(&Word, reinterpret_cast<const char *>(From.data()) + I * sizeof(Word),
                sizeof(Word));
    __builtin_nontemporal_store(Word, reinterpret_cast<uint64_t *>(To.data()) + I);
  }
  // Streaming stores are not ordered with later stores, so use SFENCE (Intel SDM,
  // volume 2).
  __builtin_ia32_sfence();
#else
  if (!From.empty())
    std::memcpy(To.data(), From.data(), From.size() * sizeof(T));
#endif
}

/// A line on stderr, if stderr is a terminal. The destructor clears the line.
class Progress {
public:
  /// All: total number of events; 0: unknown.
  explicit Progress(uint64_t All = 0);
  ~Progress();
  void add(uint64_t Events);

private:
  using Clock = std::chrono::steady_clock;
  uint64_t All, Done = 0;
  bool Shown = false, IsTerminal;
  Clock::time_point Next;
};

} // namespace patchbay
