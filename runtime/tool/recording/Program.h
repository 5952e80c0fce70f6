// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a program before `record` runs it, and finds the libraries that `record` loads
// into the program.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// Searches PATH for a program, as execvp(3) does.
llvm::Expected<std::string> findProgram(llvm::StringRef Name);

/// The ELF file that the kernel will run: the interpreter, if Path is a script.
llvm::Expected<ElfImage> openProgram(llvm::StringRef Path);

/// Fails if the loader of Program will ignore LD_PRELOAD=Library.
llvm::Error checkPreload(const ElfImage &Program, const ElfImage &Library);

/// Fails if Program's C library is not glibc, which the tracer needs. --force cannot
/// override this error, since the program would not start.
llvm::Error checkLibc(const ElfImage &Program);

/// Fails if the runtime cannot create its thread in Program.
llvm::Error checkOwnThread(const ElfImage &Program);

/// LD_PRELOAD for Program: sanitizers' runtimes that must be loaded first, Tracer, and
/// then the current value.
std::string preloadList(const ElfImage &Program, llvm::StringRef Tracer);

/// The libraries that Program will load, according to its own loader.
llvm::Expected<std::vector<std::string>> libraries(const ElfImage &Program);

/// Guesses which libraries Program may load by dlopen(3): returns at most 2,000 files, each
/// with the path that the loader would use. Searches the arguments and string constants of
/// Program, the folder of Program, LD_LIBRARY_PATH, and the DT_RUNPATH and DT_RPATH of
/// Program and of the libraries in Needs.
std::vector<std::string> loadableLibraries(const ElfImage &Program,
                                           llvm::ArrayRef<std::string> Needs,
                                           llvm::ArrayRef<std::string> Arguments);

/// libpatchbay-trace.so only records. libpatchbay-live.so also has a thread
/// that listens for commands.
enum class TracerKind { Records, Listens };

/// Fails if the library is missing, or if LD_PRELOAD cannot name it.
llvm::Expected<ElfImage> openTracer(TracerKind Kind);

/// Is this the file name of libpatchbay-trace.so or libpatchbay-live.so?
bool isTracer(llvm::StringRef Path);

/// The path of the program cost-probe (CostProbe.c). Fails if the file is missing.
llvm::Expected<std::string> findProbe();

} // namespace patchbay
