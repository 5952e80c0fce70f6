// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exit handlers are called correctly while tracers are armed and disarmed during a
// call, and while its module is unloaded. The model executes all interleavings step by
// step, where a step is one load or store of shared data. States and rules are those of
// core/types/call_state.h, which the library also uses. The model repeats the code
// around them and names its location: the order of loads and stores in trampolines and
// in the engine, and where the engine waits. The other tests of exits run the library,
// but only in some of the orders.
//
// Each rule is left out once, and the model must detect the consequence.
//
// RUN: %clangxx -std=c++17 -O2 -Wall -Wextra -Werror %s -I %S/Inputs/exit-states -I %patchbay_include -I %patchbay_source/runtime/core -o %t
// RUN: timeout 600 %t | FileCheck %s
// CHECK: {{^}}as it is: {{[1-9][0-9]+}} states, nothing wrong{{$}}
// CHECK-NOT: nothing wrong
// CHECK: {{^}}all rules are needed{{$}}

#include "engine.h"
#include "thread.h"

#include <cstdio>
#include <string_view>
#include <vector>

namespace {

State start() {
  State S;
  memset(&S, 0, sizeof(S)); // also clears padding, because states are compared by bytes
  S.NextNumber = 1;
  for (Cell &C : S.Cells) {
    C.Func = C.ExitOf = C.Ops = NoTracer;
    C.How = Nothing;
  }
  return S;
}

struct Did {
  const char *Actor, *What;
  unsigned Cell, Value;
};

// A state, its predecessor, and the step between them.
struct Visited {
  State S;
  uint32_t Before;
  Did What;
};

// All states that were seen. Most new states equal an old one. The hash table finds the
// old state in one or two lookups, and rarely compares other states.
struct Search {
  std::vector<Visited> All;
  struct Slot {
    uint32_t Hash, Number; // Number: the index in All, plus 1
  };
  std::vector<Slot> Seen, Old;

  Slot &slotOf(uint32_t Hash, const State *S) {
    for (size_t I = Hash;; ++I) {
      Slot &At = Seen[I & (Seen.size() - 1)];
      if (!At.Number || (S && At.Hash == Hash &&
                         !memcmp(&All[At.Number - 1].S, S, sizeof(State))))
        return At;
    }
  }
  void visit(const State &S, size_t Before, Did What) {
    const uint32_t Hash = uint32_t(std::hash<std::string_view>()(
        {reinterpret_cast<const char *>(&S), sizeof(S)}));
    Slot &At = slotOf(Hash, &S);
    if (At.Number)
      return;
    All.push_back({S, uint32_t(Before), What});
    At = {Hash, uint32_t(All.size())};
    if (All.size() * 2 > Seen.size())
      grow();
  }
  void grow() {
    Old = Seen;
    Seen.assign(Old.size() * 2, {});
    for (const Slot &S : Old)
      if (S.Number)
        slotOf(S.Hash, nullptr) = S;
  }
  // Reuses the memory of the previous walk, because an allocation takes as long as a
  // walk.
  void begin() {
    All.clear();
    Seen.assign(1024, {});
  }
  void print(size_t I) const {
    if (I)
      print(All[I].Before);
    const Did &D = All[I].What;
    printf("  %s: %s %u %#x\n", D.Actor, D.What, D.Cell, D.Value);
  }
};

// Tries the changes of one batch, for our function and for functions that share its
// cell. A batch counts as two operations; otherwise the model would have five times as
// many states.
template <typename F> void forEachMixed(const State &S, F Do) {
  auto Try = [&](const char *What, auto Change) {
    State Next = S;
    Next.Actions += 2;
    Change(Next);
    Do(Next, What);
  };
  if (S.Actions + 2 > The.MaxActions)
    return;
  if (othersAre(S))
    return; // other functions may have the second cell
  for (int T = 0; T < NR; ++T) {
    const int U = 1 - T;
    if (!S.Tracers[T].Armed) {
      if (!S.SiteArmed && isOfT(S) && The.Shared && T == 0)
        Try("arm T while others lose it", [&](State &N) { armWhileOthersGo(N, T); });
      continue;
    }
    Try(T ? "disarm and arm U" : "disarm and arm T",
        [&](State &N) { replace(N, T, T); });
    if (S.Tracers[U].Armed || (keeps(WaitForOwn) && mayBeInside(S, U)))
      continue;
    Try(T ? "disarm U, arm T" : "disarm T, arm U",
        [&](State &N) { replace(N, T, U); });
    if (!parts(S))
      continue;
    Try(T ? "arm T while others lose all" : "arm U while others lose all",
        [&](State &N) { comeWhileOthersGo(N, U); });
    Try(T ? "disarm U while others get another" : "disarm T while others get another",
        [&](State &N) { goWhileOthersCome(N, T); });
  }
}

// If no operation is in progress, tries each possible next operation.
template <typename F> void forEachAction(const State &S, F Do) {
  if (S.ModuleGone || S.Actions == The.MaxActions)
    return;
  for (int T = 0; T < NR; ++T) {
    State Next = S;
    ++Next.Actions;
    if (!S.Tracers[T].Armed) {
      if (othersAre(S))
        continue; // other functions may have the tracer's cell
      if (keeps(WaitForOwn) && mayBeInside(S, T)) {
        Program{Next}.settle();
        Do(Next, T ? "settle before U" : "settle before T");
        continue;
      }
      arm(Next, T);
      Do(Next, T ? "arm U" : "arm T");
      if (!parts(S))
        continue;
      Next = S;
      ++Next.Actions;
      arm(Next, T, Ours, true);
      Do(Next, T ? "arm U, in vain" : "arm T, in vain");
      if (S.Cells[First].Left)
        continue; // the selection may exclude some
      Next = S;
      ++Next.Actions;
      arm(Next, T, All);
      Do(Next, T ? "arm U on all" : "arm T on all");
      continue;
    }
    disarm(Next, T, true);
    Do(Next, T ? "disarm U" : "disarm T");
    Next = S;
    ++Next.Actions;
    disarm(Next, T, false);
    Do(Next, T ? "disarm U, no wait" : "disarm T, no wait");
    if (!parts(S) || S.Cells[First].Left)
      continue;
    for (bool Waits : {true, false}) {
      Next = S;
      ++Next.Actions;
      disarm(Next, T, Waits, All);
      Do(Next, T ? "disarm U on all" : "disarm T on all");
    }
  }
  forEachMixed(S, Do);
  if (othersMaySwap(S)) {
    State Next = S;
    ++Next.Actions;
    othersSwap(Next);
    Do(Next, "others swap");
  }
  if (The.Shared && (othersAre(S) || S.SlotCell != Second)) {
    State Next = S;
    ++Next.Actions;
    othersAre(S) ? othersGo(Next) : othersCome(Next);
    Do(Next, othersAre(S) ? "others go" : "others come");
  }
  State Next = S;
  ++Next.Actions;
  leave(Next);
  Do(Next, "the module leaves");
}

// Completes an operation before the call.
void finishAction(State &S) {
  while (S.NrSteps)
    if (!stepEngine(S))
      abort();
}

size_t walk() {
  static Search To;
  To.begin();
  const State Untraced = start();
  // At the call, the function is traced by no tracer, by T, or by both.
  To.visit(Untraced, 0, {"at first", "no tracer is armed", 0, 0});
  State S = Untraced;
  arm(S, 0);
  finishAction(S);
  To.visit(S, 0, {"at first", "T is armed", 0, 0});
  arm(S, 1);
  finishAction(S);
  To.visit(S, 0, {"at first", "T is armed, then U", 0, 0});
  for (size_t I = 0; I < To.All.size(); ++I) {
    const State Now = To.All[I].S;
    if (Now.At != Done) {
      State Next = Now;
      stepThread(Next);
      To.visit(Next, I, {"thread", PcNames[Now.At], 0, 0});
    }
    if (Now.NrSteps) {
      const Step &Of = Now.Steps[Now.NextStep];
      State Next = Now;
      if (stepEngine(Next))
        To.visit(Next, I, {"engine", OpNames[Of.What], Of.A, Of.Value});
    } else if (Now.At != Done) {
      forEachAction(Now, [&](const State &Next, const char *What) {
        To.visit(Next, I, {"engine", What, 0, 0});
      });
    }
    if (!Wrong.empty()) {
      if (LeftOut == None)
        To.print(To.All.size() - 1);
      break;
    }
  }
  return To.All.size();
}

size_t walkAll() {
  size_t States = 0;
  for (Kind T : {Exit, Both, Entry})
    for (Kind U : {Exit, Both, Entry})
      for (bool Direct : {false, true})
        for (bool Shared : {false, true}) {
          const bool Long = T == Both && U == Exit && Direct;
          The = {{T, U, Exit}, Direct, Shared, !Long ? 2 : Shared ? 4 : 3};
          States += walk();
          if (!Wrong.empty())
            return States;
        }
  return States;
}

} // namespace

int main() {
  bool Found = true;
  for (int R = None; R < NrRules; ++R) {
    LeftOut = Rule(R);
    Wrong.clear();
    const size_t States = walkAll();
    if (Wrong.empty())
      printf("%s: %zu states, nothing wrong\n", RuleNames[R], States);
    else
      printf("without %s: %s (%d %d%s%s)\n", RuleNames[R], Wrong.c_str(),
             The.Kinds[0], The.Kinds[1], The.Direct ? " direct" : "",
             The.Shared ? " shared" : "");
    fflush(stdout);
    Found &= Wrong.empty() == (R == None);
  }
  puts(Found ? "all rules are needed" : "some rules are not needed");
  return !Found;
}
