// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ThreadChoice.h"
#include <fnmatch.h>

using namespace llvm;
using namespace patchbay;

ThreadChoice::ThreadChoice(cl::SubCommand &Command)
    : Tids("tid", cl::value_desc("TID"), cl::CommaSeparated, cl::sub(Command),
           cl::cat(ToolOptions),
           cl::desc("Show only this thread; several, separated by commas; "
                    "beside --thread, these as well")),
      Names("thread", cl::value_desc("GLOB"), cl::sub(Command),
            cl::cat(ToolOptions),
            cl::desc("Show only threads whose name matches, by fnmatch(3) as "
                    "for 'patchbay record'; may be repeated")) {}

Error ThreadChoice::apply(Trace &T, const std::string &Dir) const {
  if (Tids.empty() && Names.empty())
    return Error::success();
  auto IsOther = [&](uint32_t Tid, const std::string &Name) {
    return !is_contained(Tids, Tid) &&
           llvm::none_of(Names, [&](const std::string &Glob) {
             return fnmatch(Glob.c_str(), Name.c_str(), 0) == 0;
           });
  };
  for (const TraceProcess &P : T.Processes)
    if (!P.Data.Counters.empty())
      return makeError(Dir + ": calls were counted without regard to threads: "
                             "'patchbay record --histogram' does it by thread");
  llvm::erase_if(T.Threads, [&](const TraceThread &Thread) {
    return IsOther(Thread.Tid, Thread.Name);
  });
  llvm::erase_if(T.Counts,
                 [&](const TraceCount &C) { return IsOther(C.Tid, C.Thread); });
  if (T.Threads.empty() && T.Counts.empty())
    return makeError(NothingFound, Dir + ": no such thread: 'patchbay info' "
                                         "shows which there are");
  return Error::success();
}
