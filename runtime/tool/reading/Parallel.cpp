// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Parallel.h"
#include <algorithm>
#include <deque>
#include <sched.h>

using namespace patchbay;

// More workers would wait for the thread that uses their results.
static constexpr size_t MaxWorkers = 15;

// Respects limits of taskset(1) or a container.
static size_t numberOfProcessors() {
  cpu_set_t Set;
  if (sched_getaffinity(0, sizeof(Set), &Set))
    return std::max(1u, std::thread::hardware_concurrency());
  return CPU_COUNT(&Set);
}

static size_t numberOfWorkers() {
  static const size_t N = std::min(numberOfProcessors() - 1, MaxWorkers);
  return N;
}

size_t patchbay::jobsAhead() { return 2 * numberOfWorkers() + 1; }

Workers::~Workers() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Ending = true;
  }
  Asked.notify_all();
  for (std::thread &T : Threads)
    T.join();
}

void Workers::ask(Job &J) {
  if (!numberOfWorkers())
    return;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (Next == Queue.size())
      Queue.clear(), Next = 0;
    J.State = Job::Waiting;
    Queue.push_back(&J);
  }
  if (++All < FewJobs)
    return;
  while (Threads.size() < numberOfWorkers())
    Threads.emplace_back([this] { work(); });
  Asked.notify_one();
}

void Workers::work() {
  std::unique_lock<std::mutex> Guard(Lock);
  while (true) {
    Asked.wait(Guard, [&] { return Ending || Next != Queue.size(); });
    if (Ending)
      return;
    Job *J = Queue[Next++];
    if (!J) // the asking thread has done it
      continue;
    J->State = Job::Taken;
    Guard.unlock();
    J->Do();
    Guard.lock();
    J->State = Job::Done;
    Finished.notify_one();
  }
}

void Workers::finish(Job &J) {
  {
    std::unique_lock<std::mutex> Guard(Lock);
    if (J.State == Job::Taken || J.State == Job::Done) {
      Finished.wait(Guard, [&] { return J.State == Job::Done; });
      J.State = Job::New;
      return;
    }
    if (J.State == Job::Waiting)
      *std::find(Queue.begin() + Next, Queue.end(), &J) = nullptr;
    J.State = Job::New;
  }
  J.Do();
}

void patchbay::inOrder(size_t N, llvm::function_ref<void(size_t)> Do,
                       llvm::function_ref<void(size_t)> Use) {
  std::deque<Workers::Job> Jobs; // must not move; must outlive the workers
  Workers W;
  size_t Asked = 0;
  for (size_t I = 0; I != N; ++I) {
    for (; Asked != N && Asked <= I + jobsAhead(); ++Asked) {
      Jobs.emplace_back();
      Jobs.back().Do = [&Do, Asked] { Do(Asked); };
      W.ask(Jobs.back());
    }
    W.finish(Jobs.front());
    Jobs.pop_front();
    Use(I);
  }
}
