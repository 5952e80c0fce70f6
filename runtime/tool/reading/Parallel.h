// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs jobs on all processors, and returns results in order.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace patchbay {

/// Threads that do jobs in the order of requests: one for each processor that this
/// process may use, except the requesting thread's. They start when there is enough work.
class Workers {
public:
  Workers() = default;
  ~Workers() { *Ending = true; } // the pool's destructor waits for jobs that have begun
  Workers(const Workers &) = delete;

  /// A job that is done once. It must not move until it is done.
  class Job {
  public:
    std::function<void()> Do;

  private:
    friend class Workers;
    std::shared_ptr<std::atomic_flag> Taken; // null: no worker was asked
    std::shared_future<void> Done;
  };
  /// Queues a job for the workers.
  void ask(Job &J);
  /// Returns when the job is done. Does it here if no worker has begun it.
  void finish(Job &J);

private:
  // A few jobs are done sooner than threads are made.
  static constexpr size_t FewJobs = 8;
  size_t All = 0;
  std::shared_ptr<std::atomic<bool>> Ending = std::make_shared<std::atomic<bool>>(false);
  std::optional<llvm::StdThreadPool> Pool;
};

/// How many jobs to queue before finishing the first.
size_t jobsAhead();

/// Calls Do(I) for each I below N, side by side. Calls Use(I) when that is
/// done, one after another in the order of I.
void inOrder(size_t N, llvm::function_ref<void(size_t)> Do,
             llvm::function_ref<void(size_t)> Use);

} // namespace patchbay
