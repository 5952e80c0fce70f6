// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Parallel.h"
#include "support/Terminal.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <deque>

using namespace llvm;
using namespace patchbay;

// More workers would only wait for the thread that uses the results.
static constexpr size_t MaxWorkers = 15;

// Respects the limits of taskset(1) and of containers.
static size_t numberOfWorkers() {
  static const size_t N =
      std::min<size_t>(hardware_concurrency().compute_thread_count() - 1, MaxWorkers);
  return N;
}

size_t patchbay::jobsAhead() { return 2 * numberOfWorkers() + 1; }

void Workers::ask(Job &J) {
  J.Taken = nullptr;
  if (!numberOfWorkers() || ++All < FewJobs)
    return;
  if (!Pool)
    Pool.emplace(hardware_concurrency(numberOfWorkers()));
  // J may be destroyed before a worker begins the job. finish() has then set Taken.
  J.Taken = std::make_shared<std::atomic_flag>();
  J.Done = Pool->async([Taken = J.Taken, Ending = Ending, &J] {
    if (!*Ending && !Taken->test_and_set())
      J.Do();
  });
}

void Workers::finish(Job &J) {
  if (!J.Taken || !J.Taken->test_and_set())
    J.Do();
  else
    J.Done.wait();
}

void patchbay::inOrder(size_t N, llvm::function_ref<void(size_t)> Do,
                       llvm::function_ref<void(size_t)> Use) {
  std::deque<Workers::Job> Jobs; // must not move; outlives the workers
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

// Patience: the delay before the first update, so that short reads show no progress.
// Often: the interval of updates.
static constexpr std::chrono::milliseconds Patience(1000), Often(200);

Progress::Progress(uint64_t All)
    : All(All), IsTerminal(sys::Process::StandardErrIsDisplayed()),
      Next(Clock::now() + Patience) {}

void Progress::add(uint64_t Events) {
  Done += Events;
  if (!IsTerminal || Clock::now() < Next)
    return;
  // Output that was printed to the terminal already shows progress.
  if (outputIsTerminal() && outs().tell())
    return;
  Next = Clock::now() + Often;
  Shown = true;
  errs() << "\r\x1b[Kpatchbay: " << Done << " events";
  if (All)
    errs() << ", " << Done * 100 / All << " %";
}

Progress::~Progress() {
  if (Shown)
    errs() << "\r\x1b[K";
}
