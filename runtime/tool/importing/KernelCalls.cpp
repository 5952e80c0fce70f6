// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TraceBuilder.h"
#include <algorithm>

using namespace llvm;
using namespace patchbay;

void KernelCalls::enter(uint32_t Function, uint32_t Depth, uint64_t Time) {
  // Open calls of at least this depth must have ended, but the kernel lost the
  // events.
  while (!Open.empty() && Lines[Open.back()].Depth >= Depth)
    Open.pop_back();
  Open.push_back(Lines.size());
  KernelEvent E;
  E.Function = Function;
  E.Depth = Depth;
  E.Time = Time;
  Lines.push_back(E);
}

bool KernelCalls::leave(std::optional<uint32_t> Function, uint32_t Depth,
                        uint64_t Time, uint64_t Shortest, uint64_t Longest) {
  while (!Open.empty() && Lines[Open.back()].Depth > Depth)
    Open.pop_back();
  bool Known = !Open.empty() && Lines[Open.back()].Depth == Depth &&
               (!Function || Lines[Open.back()].Function == *Function);
  if (!Known && !Function)
    return false;
  KernelEvent E;
  E.IsExit = true;
  E.Depth = Depth;
  E.Time = Time;
  E.Shortest = Shortest;
  E.Longest = Longest;
  if (Known) {
    E.Function = Lines[Open.back()].Function;
    E.Partner = Open.back();
    Lines[Open.back()].Partner = Lines.size();
    Open.pop_back();
  } else {
    E.Function = *Function;
  }
  Lines.push_back(E);
  return true;
}

namespace {

// Reads lines from the last to the first, so that it finds the end of a call before its
// beginning. If there is no line for the beginning, it must be before the beginnings of
// all calls within the call: they are deeper, and ended earlier than the call.
class Backward {
public:
  void add(const KernelEvent &Line) {
    if (Line.IsExit) {
      while (!Ends.empty() && !HasEntry.back() && !holds(Ends.back(), Line))
        addEntry();
      Ends.push_back(Events.size());
      HasEntry.push_back(Line.Partner != KernelEvent::NoPartner);
      push(Line);
    } else if (Line.Partner == KernelEvent::NoPartner) {
      while (!Ends.empty() && !HasEntry.back() &&
             Events[Ends.back()].Depth >= Line.Depth)
        addEntry();
      push(Line);
    } else {
      while (!HasEntry.back())
        addEntry();
      join(Line);
    }
  }

  /// Returns the events in the order of time.
  std::vector<KernelEvent> take() {
    while (!Ends.empty())
      addEntry();
    std::reverse(Events.begin(), Events.end());
    for (KernelEvent &E : Events)
      if (E.Partner != KernelEvent::NoPartner)
        E.Partner = Events.size() - 1 - E.Partner;
    return std::move(Events);
  }

private:
  bool holds(size_t End, const KernelEvent &Inner) const {
    const KernelEvent &Outer = Events[End];
    return Inner.Depth > Outer.Depth &&
           Inner.Time + PrintedNs + Outer.Longest > Outer.Time;
  }
  void push(const KernelEvent &Line) {
    Events.push_back(Line);
    Events.back().Partner = KernelEvent::NoPartner;
  }
  // Adds the entry of the innermost open call, from its line.
  void join(const KernelEvent &Line) {
    Events[Ends.back()].Partner = Events.size();
    Events.push_back(Line);
    Events.back().Partner = Ends.back();
    Ends.pop_back();
    HasEntry.pop_back();
  }
  // Adds the entry of the innermost open call, which has no line, at the latest
  // possible time.
  void addEntry() {
    const KernelEvent &Exit = Events[Ends.back()];
    KernelEvent E;
    E.Function = Exit.Function;
    E.Depth = Exit.Depth;
    E.Time = Exit.Time - std::min(Exit.Time, Exit.Longest);
    join(E);
  }

  std::vector<KernelEvent> Events;
  std::vector<uint32_t> Ends; // of calls whose beginning has not been read yet
  std::vector<bool> HasEntry; // is there a line for the entry?
};

} // namespace

std::vector<KernelEvent> KernelCalls::finish() const {
  Backward Calls;
  for (size_t I = Lines.size(); I-- != 0;)
    Calls.add(Lines[I]);
  return Calls.take();
}
