// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that is done by all processors and used in one order.
#ifndef PATCHBAY_TOOL_PARALLEL_H
#define PATCHBAY_TOOL_PARALLEL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace patchbay {

/// Threads that do what is asked of them, in that order. There are as many as this
/// process may use processors, without the one that asks; they are made when there
/// is enough to do for that to be worth it.
class Workers {
public:
  Workers() = default;
  ~Workers();
  Workers(const Workers &) = delete;

  /// Something to be done, once. It stays where it is until it is done.
  class Job {
  public:
    std::function<void()> Do;

  private:
    friend class Workers;
    enum { New, Waiting, Taken, Done } State = New;
  };
  /// The workers do it when they have time.
  void ask(Job &J);
  /// Returns when it is done. One that nobody has begun is done here.
  void finish(Job &J);

private:
  // Below it, all is done sooner than threads are made.
  static constexpr size_t FewJobs = 8;
  void work();

  std::mutex Lock;
  std::condition_variable Asked, Finished;
  std::vector<Job *> Queue; // of which those before Next were taken
  size_t Next = 0, All = 0;
  bool Ending = false;
  std::vector<std::thread> Threads;
};

/// How many jobs to ask for before the first of them is finished.
size_t jobsAhead();

/// Do(I) for each I below N, side by side, and Use(I) when that is done, one after the
/// other in the order of I.
void inOrder(size_t N, llvm::function_ref<void(size_t)> Do,
             llvm::function_ref<void(size_t)> Use);

} // namespace patchbay

#endif
