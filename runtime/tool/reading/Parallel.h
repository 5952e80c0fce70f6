// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs jobs on all processors, and returns their results in order.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

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

} // namespace patchbay
