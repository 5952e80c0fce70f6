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

/// Threads that run jobs in the order of requests: one for each processor that this
/// process may use, except the processor of the requesting thread. They are started when
/// there is enough work.
class Workers {
public:
  Workers() = default;
  ~Workers() { *Ending = true; } // the pool's destructor waits for jobs that have begun
  Workers(const Workers &) = delete;

  /// A job that runs once. It must not move before that.
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
  /// Runs the job here if no worker has begun it. Returns when it is done.
  void finish(Job &J);

private:
  // Fewer jobs are done sooner than threads are started.
  static constexpr size_t FewJobs = 8;
  size_t All = 0;
  std::shared_ptr<std::atomic<bool>> Ending = std::make_shared<std::atomic<bool>>(false);
  std::optional<llvm::StdThreadPool> Pool;
};

/// How many jobs to queue before finishing the first.
size_t jobsAhead();

/// Calls Do(I) for each I below N, concurrently. After each, calls Use(I), one at a
/// time in the order of I.
void inOrder(size_t N, llvm::function_ref<void(size_t)> Do,
             llvm::function_ref<void(size_t)> Use);

/// Copies From to To. The stores bypass this processor's caches (Intel's Optimization
/// Reference Manual, 9.4.1, "streaming stores"; AMD's Software Optimization Guides have a
/// chapter on them). With normal stores, each cache line of a reused buffer would move
/// from the other processor for writing, and back for reading. If the processors are far
/// apart, that takes longer than the work on the data.
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

/// A line on stderr, if stderr is a terminal. The destructor clears it.
class Progress {
public:
  /// All: the number of all events; 0: unknown.
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
