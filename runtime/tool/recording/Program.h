// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a program before `record` runs it.
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

} // namespace patchbay
