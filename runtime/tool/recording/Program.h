// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a program before `record` runs it, and finds the libraries that `record` loads into
// it.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// Searches PATH for a program, as execvp(3) does.
llvm::Expected<std::string> findProgram(llvm::StringRef Name);

/// The ELF file that the kernel will run: the interpreter, if Path is a script.
llvm::Expected<ElfImage> openProgram(llvm::StringRef Path);

/// Fails if the loader of Program will ignore LD_PRELOAD=Library.
llvm::Error checkPreload(const ElfImage &Program, const ElfImage &Library);

/// Fails if Program's C library is not the tracer's. Then even --force is
/// useless, since the program would not start.
llvm::Error checkLibc(const ElfImage &Program);

/// Fails if the runtime cannot create a thread of its own in Program.
llvm::Error checkOwnThread(const ElfImage &Program);

/// LD_PRELOAD for Program: Tracer, and then the present value. Sanitizers'
/// runtimes that must be loaded first are in front.
std::string preloadList(const ElfImage &Program, llvm::StringRef Tracer);

/// The libraries that Program will load, according to its own loader.
llvm::Expected<std::vector<std::string>> libraries(const ElfImage &Program);

/// Finds libraries that a program may load by dlopen(3). They are not known before that,
/// but most are in folders that the program or its user tells the loader to search.
/// Files of possible libraries, each with the path that the loader would use.
/// Searches the arguments of Program, names in its constants, the folder of
/// Program, the directories of LD_LIBRARY_PATH, and DT_RUNPATH or DT_RPATH of
/// Program and of the libraries that it Needs. Returns at most 2,000.
std::vector<std::string> loadableLibraries(const ElfImage &Program,
                                           llvm::ArrayRef<std::string> Needs,
                                           llvm::ArrayRef<std::string> Arguments);

/// libpatchbay-trace.so only records. libpatchbay-live.so also has a thread
/// that listens for commands.
enum class TracerKind { Records, Listens };

/// Fails if the library is missing, or if LD_PRELOAD cannot name it.
llvm::Expected<ElfImage> openTracer(TracerKind Kind);

/// Is it the file name of one of these libraries?
bool isTracer(llvm::StringRef Path);

/// The path of the program CostProbe.c. Fails if it is missing.
llvm::Expected<std::string> findProbe();

} // namespace patchbay
