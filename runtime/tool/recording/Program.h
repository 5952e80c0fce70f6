// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a program before `record` runs it.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// Searches PATH as execvp(3) does.
llvm::Expected<std::string> findProgram(llvm::StringRef Name);

/// The ELF file that the kernel will run: the interpreter if Path is a script.
llvm::Expected<ElfImage> openProgram(llvm::StringRef Path);

/// Fails if the loader of Program will not honour LD_PRELOAD=Library.
llvm::Error checkPreload(const ElfImage &Program, const ElfImage &Library);

/// Fails if Program's C library differs from the tracer's. --force cannot help
/// then: the program itself would not start.
llvm::Error checkLibc(const ElfImage &Program);

/// Fails if the runtime may not have a thread of its own in Program.
llvm::Error checkOwnThread(const ElfImage &Program);

/// LD_PRELOAD for Program: Tracer, then the present value. Runtimes of
/// sanitizers that insist on being first precede it.
std::string preloadList(const ElfImage &Program, llvm::StringRef Tracer);

/// The libraries that Program will load, according to its own loader.
llvm::Expected<std::vector<std::string>> libraries(const ElfImage &Program);

} // namespace patchbay
